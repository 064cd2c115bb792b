import { expect, test } from "vitest";
import { Job } from "../../declare/job.ts";
import type { Run } from "../../declare/run.ts";
import { Runner } from "../../declare/runner.ts";
import { bundleOf } from "../testing/app.ts";
import { destination, runner } from "../testing/background.ts";
import { createService } from "../handler.ts";
import type { LogRecord } from "../observe/log.ts";
import { settings } from "../settings.ts";
import { runTask } from "./task-process.ts";

const rebuild = Job<{ since: string }>("rebuild");

interface Ran {
  readonly runs: { readonly args: unknown; readonly run: Run }[];
  readonly logs: LogRecord[];
  readonly start: (env: Readonly<Record<string, string>>, stopping?: AbortSignal) => Promise<number>;
}

function job(body: (signal: AbortSignal) => void | Promise<void> = () => {}): Ran {
  const runs: Ran["runs"] = [];
  const logs: LogRecord[] = [];
  const rebuildAll = Runner(rebuild, (ctx, args, run) => {
    runs.push({ args, run });
    return body(ctx.signal);
  });
  const parts = { destinations: [destination(rebuild)], consumers: [runner(rebuildAll)] };
  const start: Ran["start"] = (env, stopping) => {
    const options = { settings: settings.test, log: (record: LogRecord) => void logs.push(record) };
    return runTask(
      createService({ ...bundleOf([]), ...parts }, { ...options, ...(stopping && { stopping }) }).app,
      env,
    );
  };
  return { runs, logs, start };
}

test("a process of a job runs its task of the run, with the arguments of the start", async () => {
  const { runs, start } = job();
  const task = { CLOUD_RUN_TASK_INDEX: "2", CLOUD_RUN_TASK_COUNT: "5", CLOUD_RUN_TASK_ATTEMPT: "1" };
  expect(await start({ ...task, FW_RUN: JSON.stringify({ run: "r", args: `{"since":"today"}` }) })).toBe(0);
  expect(runs).toEqual([{ args: { since: "today" }, run: { id: "r", task: 2, tasks: 5, attempt: 2 } }]);
});

test("a job that was started by hand has its execution as the run, and no arguments", async () => {
  const { runs, start } = job();
  expect(await start({ CLOUD_RUN_EXECUTION: "shop-prod-rebuild-x7k2p" })).toBe(0);
  expect(runs).toEqual([{ args: null, run: { id: "shop-prod-rebuild-x7k2p", task: 0, tasks: 1, attempt: 1 } }]);
});

test("a task that fails ends its process with 1, and is logged with its job", async () => {
  const { logs, start } = job(() => {
    throw new Error("no such product");
  });
  expect(await start({ CLOUD_RUN_TASK_COUNT: "2", CLOUD_RUN_TASK_INDEX: "1" })).toBe(1);
  expect(logs).toMatchObject([{ message: "the handler failed", tags: { job: "rebuild", task: "1" } }]);
});

test("a task is told when its process is to stop", async () => {
  const stopping = new AbortController();
  const { start } = job(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        stopping.abort(new Error("the service is stopping"));
      }),
  );
  expect(await start({}, stopping.signal)).toBe(1);
});
