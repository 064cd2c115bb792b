/** A run of a job; the body of the message that starts it. */
interface Run {
  readonly run: string;
  readonly tasks: number;
  /** The arguments as JSON text. */
  readonly args: string;
}

/** One task of a run; the body of its delivery. */
export interface Task extends Run {
  readonly task: number;
}

export function encodeRun(run: Run): string {
  return JSON.stringify(run);
}

export function decodeRun(body: string): Run {
  return JSON.parse(body) as Run;
}

export function encodeTask(task: Task): string {
  return JSON.stringify(task);
}

export function decodeTask(body: string): Task {
  return JSON.parse(body) as Task;
}

/** Yields the body of each task's delivery. */
export function* taskBodies(body: string): Generator<string, void> {
  const run = decodeRun(body);
  for (let task = 0; task < run.tasks; task++) yield encodeTask({ ...run, task });
}
