import { systemClock } from "../../platform/clock.ts";
import { decodeRun, encodeTask } from "../../platform/task.ts";
import type { Application, MeasuredPorts } from "../application.ts";
import { usesJobHistory } from "../capabilities.ts";
import { untilDeadline } from "./deadline.ts";
import { count } from "./envelope.ts";
import { receive } from "./receive.ts";

/**
 * The environment that Cloud Run gives a task's process: the run, its arguments, and the numbers of the task and the
 * attempt.
 */
type TaskEnvironment = Readonly<Record<string, string | undefined>>;

/** How long to wait for a failed task to record its result, in milliseconds. */
const recordMs = 5_000;

/** Runs this process's task. Resolves with the exit code. Cloud Run retries the task if it is not 0. */
export async function runTask(
  app: MeasuredPorts & Pick<Application, "platform" | "stopping">,
  env: TaskEnvironment,
): Promise<number> {
  const runner = app.bundle.consumers?.find(({ kind }) => kind === "runner");
  if (runner === undefined) throw new Error("this service has no runner");
  const { run, args } = readRun(env);
  const task = count(env["CLOUD_RUN_TASK_INDEX"], 0);
  const tasks = count(env["CLOUD_RUN_TASK_COUNT"], 1);
  const { service, source, delivery } = runner;
  const stopping = app.stopping ?? new AbortController().signal;
  const clock = app.platform?.clock ?? systemClock;
  let receiving: Promise<void> | undefined;
  try {
    await untilDeadline(clock, delivery.deadline, stopping, (signal) => {
      receiving = receive(app, {
        id: `${run}-${task}`,
        consumer: service,
        destination: source,
        attempt: count(env["CLOUD_RUN_TASK_ATTEMPT"], 0) + 1,
        body: encodeTask({ run, task, tasks, args }),
        sent: new Date(),
        traceparent: env["TRACEPARENT"],
        signal,
      });
      return receiving;
    });
    return 0;
  } catch {
    // Let a run that exceeded its deadline be recorded before the process exits.
    if (usesJobHistory)
      await Promise.race([receiving?.catch(() => {}), clock.sleep(recordMs, undefined, { background: true })]);
    // The failure was already logged.
    return 1;
  }
}

/** Reads the run. A job that was started with Google's own tools has an execution id and no arguments. */
function readRun(env: TaskEnvironment): { readonly run: string; readonly args: string } {
  const text = env["FW_RUN"];
  if (text === undefined || text === "") return { run: env["CLOUD_RUN_EXECUTION"] ?? "", args: "null" };
  return decodeRun(text);
}
