import type { Api, Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import type { Containers, ContainerTemplate } from "./containers.ts";
import { Execution, type Overrides, type RunTask } from "./execution.ts";
import { namedIn } from "../methods.ts";
import { RunResource, RunResources } from "./resource.ts";

/** A job whose tasks a test runs. */
export interface RunJob {
  readonly name: string;
  readonly serviceAccount: string;
  readonly taskCount?: number;
  readonly parallelism?: number;
  /** The number of retries of a failed task. */
  readonly maxRetries?: number;
  readonly start: Start;
}

/** Runs one attempt of one task; false, or an error, is a failure. */
type Start = (task: RunTask) => Promise<boolean>;

/** The job settings that the fake uses. */
interface JobSettings {
  readonly template?: {
    readonly taskCount?: number;
    readonly parallelism?: number;
    readonly template?: {
      readonly maxRetries?: number;
      readonly serviceAccount?: string;
      readonly containers?: readonly ContainerTemplate[];
    };
  };
}

/** A job: its settings, the runner of its tasks, and its executions. */
export class Job extends RunResource<JobSettings> {
  readonly executions: Map<string, Execution> = new Map();
  start: Start = () => Promise.resolve(false);

  override json(): object {
    return { ...super.json(), executionCount: this.executions.size };
  }
}

/** Cloud Run jobs and their executions. */
export class RunJobs {
  readonly methods: Api["methods"];
  readonly #cloud: Cloud;
  /** Undefined if no processes are started. */
  readonly #containers: Containers | undefined;
  readonly #jobs: RunResources<JobSettings, Job>;

  constructor(cloud: Cloud, containers: Containers | undefined) {
    this.#cloud = cloud;
    this.#containers = containers;
    this.#jobs = new RunResources<JobSettings, Job>(cloud, {
      noun: "job",
      longest: 64,
      isWhole: true,
      make: (fullName) => new Job(fullName, cloud.clock.timestamp(), {}),
      templateOf: ({ template }) => template?.template,
      apply: (job) => this.#becomes(job, (task) => this.#contained(job, task)),
    });
    this.methods = this.#jobs.methods({
      run: {
        needs: (call) =>
          overridesIn(call)
            ? [{ permission: "run.jobs.runWithOverrides", resource: namedIn("run.googleapis.com")(call) }]
            : [],
        run: (call) => {
          const execution = new Execution(cloud, this.#jobs.of(call), overridesIn(call) ?? {});
          return cloud.operations.start(cloud.place, execution.run(), () => execution.described());
        },
      },
    });
  }

  /** Registers a job whose tasks run without a container. */
  set({ name, serviceAccount, start, taskCount = 1, parallelism = 0, maxRetries = 3 }: RunJob): void {
    const settings = { template: { taskCount, parallelism, template: { maxRetries, serviceAccount } } };
    const job = new Job(`${this.#cloud.place}/jobs/${name}`, this.#cloud.clock.timestamp(), settings);
    this.#jobs.set(name, job);
    void this.#becomes(job, start);
  }

  async #becomes(job: Job, start: Start): Promise<void> {
    job.condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
    job.start = start;
  }

  /** Runs one attempt as a container; true if it exits with 0. Without containers, every attempt succeeds. */
  async #contained({ name, settings }: Job, { args, env }: RunTask): Promise<boolean> {
    const { project } = this.#cloud;
    if (!this.#containers) return true;
    const { containers = [], serviceAccount = "" } = settings.template?.template ?? {};
    const container = await this.#containers.start({
      template: { ...containers[0], ...(args && { args }) },
      account: serviceAccount,
      env,
      resource: {
        type: "cloud_run_job",
        labels: { project_id: project.id, location: project.region, job_name: name },
      },
    });
    return (await container.exited) === 0;
  }
}

function overridesIn(call: Call): Overrides | undefined {
  return (call.body as { overrides?: Overrides }).overrides;
}
