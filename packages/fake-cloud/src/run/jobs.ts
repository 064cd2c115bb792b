import { randomUUID } from "node:crypto";
import { param, query, type Api, type Call, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { policyMethods } from "../iam/methods.ts";
import { actAs, methodsOf, namedIn, nameOf, shortName, type ResourceKind } from "../methods.ts";
import type { Operations } from "../operations.ts";
import { inPages } from "../pages.ts";
import { checkContainers, checkEtag, etagOf } from "./check.ts";
import type { Containers, ContainerTemplate } from "./containers.ts";
import { isTrial, notFound } from "./services-api.ts";

/** A job whose tasks somebody else carries out. */
export interface RunJob {
  readonly name: string;
  readonly serviceAccount: string;
  readonly taskCount?: number;
  readonly parallelism?: number;
  /** How often a task that has failed is tried again. */
  readonly maxRetries?: number;
  /** Runs one attempt of one task; false, or an error, is a failure. */
  readonly start: (task: RunTask) => Promise<boolean>;
}

/** One attempt of a task as its container sees it. */
export interface RunTask {
  readonly args: readonly string[] | undefined;
  /** What Cloud Run sets, and over it what the execution was asked with. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a caller says of a job. */
interface JobSettings {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly launchStage?: string;
  readonly template?: {
    readonly taskCount?: number;
    readonly parallelism?: number;
    readonly template?: {
      readonly maxRetries?: number;
      readonly timeout?: string;
      readonly serviceAccount?: string;
      readonly containers?: readonly ContainerTemplate[];
    };
  };
}

/** A job: what it is to be, and what carries its tasks out. */
interface Job {
  readonly name: string;
  readonly uid: string;
  readonly created: string;
  settings: JobSettings;
  generation: number;
  updated: string;
  start: (task: RunTask) => Promise<boolean>;
}

interface Overrides {
  readonly containerOverrides?: readonly {
    readonly args?: readonly string[];
    readonly clearArgs?: boolean;
    readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  }[];
  readonly taskCount?: number;
  readonly timeout?: string;
}

interface Execution {
  readonly name: string;
  readonly job: string;
  readonly taskCount: number;
  readonly created: number;
  completed?: number;
  succeeded: number;
  failed: number;
  retried: number;
}

const host = "run.googleapis.com";

/** Jobs of Cloud Run, their executions, and the operations that these are. */
export class RunJobs {
  readonly methods: Api["methods"];
  readonly #cloud: Cloud;
  /** None where nothing is started. */
  readonly #containers: Containers | undefined;
  readonly #operations: Operations;
  readonly #jobs = new Map<string, Job>();
  readonly #executions = new Map<string, Execution>();

  constructor(cloud: Cloud, operations: Operations, containers: Containers | undefined) {
    this.#cloud = cloud;
    this.#containers = containers;
    this.#operations = operations;
    this.methods = this.#table();
  }

  /** A job whose tasks are carried out in another way than by a container. */
  set({ name, serviceAccount, start, taskCount = 1, parallelism = 0, maxRetries = 3 }: RunJob): void {
    const job = this.#made(`${this.#cloud.place}/jobs/${name}`);
    const settings = { template: { taskCount, parallelism, template: { maxRetries, serviceAccount } } };
    this.#jobs.set(job.name, Object.assign(job, { settings, start }));
  }

  #table(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "run.projects.locations.jobs",
      permissions: "run.jobs",
      on: namedIn(host),
    };
    const executions: ResourceKind = {
      methods: "run.projects.locations.jobs.executions",
      permissions: "run.executions",
      on: namedIn(host),
    };
    const actAsJob = (call: Call): Needed[] =>
      actAs(this.#cloud, (call.body as JobSettings).template?.template?.serviceAccount);
    return {
      ...methodsOf(kind, {
        get: (call) => this.#json(nameOf(call)),
        list: (call) => inPages(call, { jobs: [...this.#jobs.keys()].map((name) => this.#json(name)) }),
        run: {
          needs: (call) =>
            overridesIn(call) ? [{ permission: "run.jobs.runWithOverrides", resource: kind.on(call) }] : [],
          run: (call) => this.#run(nameOf(call), overridesIn(call) ?? {}),
        },
        create: {
          needs: actAsJob,
          run: (call) => this.#create(call, `${param(call, "parent")}/jobs/${query(call, "jobId") ?? randomUUID()}`),
        },
        patch: { needs: actAsJob, run: (call) => this.#patch(call) },
        delete: (call) => {
          const job = this.#job(nameOf(call));
          const json = this.#json(job.name);
          this.#jobs.delete(job.name);
          this.#cloud.policies.set(`//${host}/${job.name}`, {});
          return this.#operations.start(this.#cloud.place, () => json, Promise.resolve(json));
        },
      }),
      ...methodsOf(executions, {
        get: (call) => this.#executionJson(this.#execution(nameOf(call))),
        list: (call) => {
          const of = [...this.#executions.values()].filter(({ job }) => job === nameOf(call));
          return inPages(call, { executions: of.map((execution) => this.#executionJson(execution)) });
        },
      }),
      ...policyMethods(this.#cloud, kind),
    };
  }

  #create(call: Call, name: string): unknown {
    const id = shortName(name);
    if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(id) || id.length >= 64)
      throw invalid(`job_id: ${id} is no name of a job`);
    if (this.#jobs.has(name)) throw new Refusal("ALREADY_EXISTS", `Resource '${id}' already exists.`);
    return this.#apply(call, this.#made(name), settingsOf(call.body));
  }

  #patch(call: Call): unknown {
    const name = nameOf(call);
    if (!this.#jobs.has(name) && query(call, "allowMissing") === "true") return this.#create(call, name);
    const job = this.#job(name);
    checkEtag(call, shortName(name), etagOf(job));
    // Of jobs the call has no mask: what it does not say is taken away.
    return this.#apply(call, job, settingsOf(call.body));
  }

  #apply(call: Call, job: Job, settings: JobSettings): unknown {
    checkContainers("template.template", settings.template?.template?.containers);
    if (isTrial(call)) return { name: `${this.#cloud.place}/operations/validate`, done: true };
    const updated = this.#cloud.clock.timestamp();
    const generation = job.generation + 1;
    Object.assign(job, { settings, generation, updated, start: (task: RunTask) => this.#contained(job, task) });
    this.#jobs.set(job.name, job);
    const json = this.#json(job.name);
    return this.#operations.start(this.#cloud.place, () => json, Promise.resolve(json));
  }

  /** One attempt as a container: done where it ends with 0. */
  async #contained(job: Job, { args, env }: RunTask): Promise<boolean> {
    const { project } = this.#cloud;
    if (!this.#containers) return true;
    const { containers = [], serviceAccount = "" } = job.settings.template?.template ?? {};
    const labels = { project_id: project.id, location: project.region, job_name: shortName(job.name) };
    const container = await this.#containers.start({
      template: { ...containers[0], ...(args && { args }) },
      account: serviceAccount,
      env,
      resource: { type: "cloud_run_job", labels },
    });
    return (await container.exited) === 0;
  }

  #made(name: string): Job {
    const created = this.#cloud.clock.timestamp();
    return { name, uid: randomUUID(), created, settings: {}, generation: 0, updated: created, start: never };
  }

  /** Starts an execution, whose operation is over when all its tasks are. */
  #run(name: string, overrides: Overrides): unknown {
    const job = this.#job(name);
    const { taskCount: usual = 1, parallelism } = job.settings.template ?? {};
    const taskCount = overrides.taskCount ?? usual;
    if (taskCount < 1 || taskCount > 10_000) throw invalid("task_count must be between 1 and 10000.");
    const id = `${shortName(name)}-${String(this.#executions.size + 1).padStart(5, "a")}`;
    const execution: Execution = {
      name: `${name}/executions/${id}`,
      job: name,
      taskCount,
      created: this.#cloud.clock.now(),
      succeeded: 0,
      failed: 0,
      retried: 0,
    };
    this.#executions.set(execution.name, execution);
    const waiting = Array.from({ length: taskCount }, (_, index) => index);
    const lanes = Array.from({ length: Math.min(taskCount, parallelism || taskCount) }, async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift())
        await this.#runTask(job, execution, index, overrides);
    });
    const over = (async () => {
      await Promise.all(lanes);
      execution.completed = this.#cloud.clock.now();
    })();
    // A clock that is moved is settled when the tasks have ended.
    this.#cloud.clock.after(0, () => over);
    const done = (async () => {
      await over;
      if (execution.failed > 0) throw new Refusal("FAILED_PRECONDITION", `Task failed for execution ${id}.`);
      return this.#described(execution);
    })();
    return this.#operations.start(this.#cloud.place, () => this.#described(execution), done);
  }

  async #runTask(job: Job, execution: Execution, index: number, { containerOverrides }: Overrides): Promise<void> {
    const [container] = containerOverrides ?? [];
    const given = Object.fromEntries(
      (container?.env ?? []).map(({ name = "", value = "" }) => [name, value]),
    ) as Record<string, string>;
    const retries = job.settings.template?.template?.maxRetries ?? 3;
    for (let attempt = 0; attempt <= retries; attempt++) {
      const env = {
        CLOUD_RUN_JOB: shortName(job.name),
        CLOUD_RUN_EXECUTION: shortName(execution.name),
        CLOUD_RUN_TASK_INDEX: String(index),
        CLOUD_RUN_TASK_COUNT: String(execution.taskCount),
        CLOUD_RUN_TASK_ATTEMPT: String(attempt),
        ...given,
      };
      const isDone = await job.start({ args: container?.args, env }).catch(() => false);
      if (isDone) {
        execution.succeeded += 1;
        return;
      }
      if (attempt < retries) execution.retried += 1;
    }
    execution.failed += 1;
  }

  #job(name: string): Job {
    const job = this.#jobs.get(name);
    if (!job) throw notFound("JOB", shortName(name), this.#cloud);
    return job;
  }

  #execution(name: string): Execution {
    const execution = this.#executions.get(name);
    if (!execution) throw new Refusal("NOT_FOUND", "Requested entity was not found.");
    return execution;
  }

  #json(name: string): unknown {
    const job = this.#job(name);
    const executions = [...this.#executions.values()].filter(({ job: of }) => of === name);
    const condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
    return {
      launchStage: "GA",
      ...job.settings,
      name,
      uid: job.uid,
      generation: String(job.generation),
      observedGeneration: String(job.generation),
      createTime: job.created,
      updateTime: job.updated,
      executionCount: executions.length,
      terminalCondition: condition,
      conditions: [condition],
      reconciling: false,
      etag: etagOf(job),
    };
  }

  #executionJson({ name, job, taskCount, created, completed, succeeded, failed, retried }: Execution): unknown {
    const { clock } = this.#cloud;
    return {
      name,
      job: shortName(job),
      taskCount,
      createTime: clock.timestamp(created),
      startTime: clock.timestamp(created),
      ...(completed !== undefined && { completionTime: clock.timestamp(completed) }),
      succeededCount: succeeded,
      failedCount: failed,
      retriedCount: retried,
      runningCount: completed === undefined ? taskCount - succeeded - failed : 0,
      reconciling: completed === undefined,
    };
  }

  #described(execution: Execution): unknown {
    return {
      "@type": "type.googleapis.com/google.cloud.run.v2.Execution",
      ...(this.#executionJson(execution) as object),
    };
  }
}

function overridesIn(call: Call): Overrides | undefined {
  return (call.body as { overrides?: Overrides }).overrides;
}

/** What a caller may say. */
function settingsOf(body: unknown): JobSettings {
  const { labels, annotations, launchStage, template } = body as JobSettings;
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(launchStage !== undefined && { launchStage }),
    ...(template && { template }),
  };
}

function never(): Promise<boolean> {
  return Promise.resolve(false);
}
