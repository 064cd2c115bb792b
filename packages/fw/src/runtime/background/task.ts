/** One task of a run of a job, as its message says. */
export interface Task {
  /** Of the run. */
  readonly run: string;
  readonly task: number;
  readonly tasks: number;
  /** JSON text of the arguments. */
  readonly args: string;
}

export function encodeTask(task: Task): string {
  return JSON.stringify(task);
}

export function decodeTask(body: string): Task {
  return JSON.parse(body) as Task;
}
