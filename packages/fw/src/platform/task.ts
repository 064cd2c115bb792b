/** A run of a job, as the body of the message that starts it says. */
interface Run {
  readonly run: string;
  readonly tasks: number;
  /** JSON text of the arguments. */
  readonly args: string;
}

/** One task of a run, as the body of its delivery says. */
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

/** The bodies of the deliveries of a run, one for each task. */
export function* taskBodies(body: string): Generator<string, void> {
  const run = decodeRun(body);
  for (let task = 0; task < run.tasks; task++) yield encodeTask({ ...run, task });
}
