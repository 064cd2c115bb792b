/** Information about a task, for the runner. */
export interface Run {
  /** The run's id, the same for all its tasks and attempts. */
  readonly id: string;
  /** The index of this task, 0 to `tasks` - 1. */
  readonly task: number;
  /** The number of tasks in the run. */
  readonly tasks: number;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
}

/** Information about a task of a job with `history`. */
export interface RecordedRun extends Run {
  /**
   * Reports the completed share of this task, 0 to 1, with an optional note: `run.progress(0.4, "rows")`. It never
   * waits: fw records the latest report about once a second, less often if the run has several tasks. Throws for a
   * share outside 0 to 1.
   */
  progress(this: void, share: number, note?: string): void;
}
