import { shortName } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import type { Job } from "./jobs.ts";

/** A task attempt's arguments and environment. */
export interface RunTask {
  readonly args: readonly string[] | undefined;
  /** The environment from Cloud Run, with the execution's overrides. */
  readonly env: Readonly<Record<string, string>>;
}

/** Overrides of a run over its job's settings. */
export interface Overrides {
  readonly containerOverrides?: readonly {
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  }[];
  readonly taskCount?: number;
}

/** A run of a job: each task is retried until it succeeds or has no attempts left. */
export class Execution {
  readonly #cloud: Cloud;
  readonly #job: Job;
  readonly #overrides: Overrides;
  readonly #name: string;
  readonly #taskCount: number;
  readonly #created: number;
  #completed: number | undefined;
  #succeeded = 0;
  #failed = 0;
  #retried = 0;

  constructor(cloud: Cloud, job: Job, overrides: Overrides) {
    this.#cloud = cloud;
    this.#job = job;
    this.#overrides = overrides;
    this.#created = cloud.clock.now();
    this.#taskCount = overrides.taskCount ?? job.settings.template?.taskCount ?? 1;
    if (this.#taskCount < 1 || this.#taskCount > 10_000) throw invalid("task_count must be between 1 and 10000.");
    const id = `${job.name}-${String(job.executions.size + 1).padStart(5, "a")}`;
    this.#name = `${job.fullName}/executions/${id}`;
    job.executions.set(id, this);
  }

  /** Runs all tasks within the job's parallelism. Rejects if a task has failed. */
  async run(): Promise<object> {
    const { parallelism } = this.#job.settings.template ?? {};
    const waiting = Array.from({ length: this.#taskCount }, (_, index) => index);
    const lanes = Array.from({ length: Math.min(this.#taskCount, parallelism || this.#taskCount) }, async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) await this.#runTask(index);
    });
    const over = (async () => {
      await Promise.all(lanes);
      this.#completed = this.#cloud.clock.now();
    })();
    // Keeps the clock from settling before the tasks have ended.
    this.#cloud.clock.after(0, () => over);
    await over;
    if (this.#failed === 0) return this.described();
    throw new Refusal("FAILED_PRECONDITION", `Task failed for execution ${shortName(this.#name)}.`);
  }

  async #runTask(index: number): Promise<void> {
    const [container] = this.#overrides.containerOverrides ?? [];
    const variables = (container?.env ?? []).map(({ name = "", value = "" }) => [name, value]);
    const retries = this.#job.settings.template?.template?.maxRetries ?? 3;
    for (let attempt = 0; attempt <= retries; attempt++) {
      const env: Record<string, string> = {
        CLOUD_RUN_JOB: this.#job.name,
        CLOUD_RUN_EXECUTION: shortName(this.#name),
        CLOUD_RUN_TASK_INDEX: String(index),
        CLOUD_RUN_TASK_COUNT: String(this.#taskCount),
        CLOUD_RUN_TASK_ATTEMPT: String(attempt),
        ...Object.fromEntries(variables),
      };
      const isDone = await this.#job.start({ args: container?.args, env }).catch(() => false);
      if (isDone) {
        this.#succeeded += 1;
        return;
      }
      if (attempt < retries) this.#retried += 1;
    }
    this.#failed += 1;
  }

  json(): object {
    const { clock } = this.#cloud;
    const isOver = this.#completed !== undefined;
    return {
      name: this.#name,
      job: this.#job.name,
      taskCount: this.#taskCount,
      createTime: clock.timestamp(this.#created),
      startTime: clock.timestamp(this.#created),
      ...(isOver && { completionTime: clock.timestamp(this.#completed) }),
      succeededCount: this.#succeeded,
      failedCount: this.#failed,
      retriedCount: this.#retried,
      runningCount: isOver ? 0 : this.#taskCount - this.#succeeded - this.#failed,
      reconciling: !isOver,
    };
  }

  described(): object {
    return { "@type": "type.googleapis.com/google.cloud.run.v2.Execution", ...this.json() };
  }
}
