import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Context } from "../declare/context.ts";
import { transaction } from "../declare/entity.ts";
import { Job, type JobRun } from "../declare/job.ts";
import type { RecordedRun } from "../declare/run.ts";
import { Runner } from "../declare/runner.ts";
import { Tenant } from "../declare/tenant.ts";
import { openLocal } from "../platform/local/open.ts";
import { transact } from "../platform/transact.ts";
import { definitionsOf } from "../runtime/definitions.ts";
import { beginTask, cancelRun, endTask, insertRun, readRun, stopTime } from "../runtime/background/run-records.ts";
import type { Bundle, BundledConsumer } from "../runtime/bundle.ts";
import { destination, runner, working } from "../runtime/testing/background.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";
import type { TestApp } from "./test-app.ts";

type Handler = (ctx: Context, args: string, run: RecordedRun) => void | Promise<unknown>;

const imports = Job<string>("import", { history: "30d" });

async function importing(
  handle: Handler,
  policy: Partial<BundledConsumer["delivery"]> = {},
  tasks = 1,
): Promise<TestApp> {
  const bundle: Bundle = {
    ...bundleOf([]),
    keepsData: true,
    recordsRuns: true,
    auth: { social: false, password: true, roles: [] },
    destinations: [destination(imports, { tasks })],
    consumers: [runner(Runner(imports, handle), { minBackoff: 10_000, maxBackoff: 10_000, ...policy })],
  };
  return testApps(async () => ({ default: bundle }))({ now: new Date("2026-01-01T00:00:00Z") });
}

const start = (app: TestApp): Promise<string> => imports.start(app.ctx(), "rows.csv");
const read = (app: TestApp, id: string): Promise<JobRun> => imports.get(app.ctx(), id);

/** Returns a promise and the function that resolves it. */
function gate(): { readonly whenOpen: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opening = new Promise<void>((resolve) => (open = resolve));
  return { whenOpen: opening, open: () => open() };
}

test("a run tells who asked for it, what it reports, and how it ended", async () => {
  const [reported, resume] = [gate(), gate()];
  await using app = await importing(async (_ctx, _args, { progress }) => {
    progress(0.4, "400 of 1,000 rows");
    reported.open();
    await resume.whenOpen;
    progress(0.9, "900 of 1,000 rows");
  });
  const ada = app.signIn({ email: "ada@example.com" });
  const id = await imports.start(app.ctx(ada), "rows.csv");
  const requestedAt = new Date("2026-01-01T00:00:00Z");
  const common = { id, by: app.ctx(ada).user().id, requestedAt, tasks: 1 };
  expect(await read(app, id)).toEqual({ ...common, state: "waiting", progress: 0, attempts: 0 });
  const drained = app.drain();
  await reported.whenOpen;
  const running = {
    ...common,
    state: "running",
    progress: 0.4,
    note: "400 of 1,000 rows",
    beganAt: requestedAt,
    attempts: 1,
  };
  await expect.poll(() => read(app, id)).toEqual(running);
  resume.open();
  await drained;
  const done = { state: "done", progress: 1, note: "900 of 1,000 rows", endedAt: requestedAt };
  expect(await read(app, id)).toEqual({ ...running, ...done });
  expect(await imports.list(app.ctx())).toEqual([await read(app, id)]);
});

test("a failed attempt shows its error while the run waits for the next, and the last one fails the run", async () => {
  let attempts = 0;
  await using app = await importing(
    () => {
      throw new Error(`no rows at attempt ${++attempts}`);
    },
    { maxAttempts: 2 },
  );
  const id = await start(app);
  await app.clock.advance("1s");
  expect(await read(app, id)).toMatchObject({ state: "running", error: "no rows at attempt 1", attempts: 1 });
  await app.clock.advance("1m");
  expect(await read(app, id)).toMatchObject({ state: "failed", error: "no rows at attempt 2", attempts: 2 });
  await app.clock.advance("31d");
  await expect(read(app, id)).rejects.toMatchObject({ status: 404 });
  expect(await imports.list(app.ctx())).toEqual([]);
});

test("a run that is cancelled before it begins never begins", async () => {
  let calls = 0;
  await using app = await importing(() => void calls++);
  const id = await start(app);
  expect(await imports.cancel(app.ctx(), id)).toBe(true);
  expect(await imports.cancel(app.ctx(), id)).toBe(false);
  await app.drain();
  expect(calls).toBe(0);
  expect(await read(app, id)).toMatchObject({
    state: "cancelled",
    attempts: 0,
    endedAt: new Date("2026-01-01T00:00:00Z"),
  });
});

test("a cancelled run never begins, however late and after how many others it is delivered", async () => {
  const { platform, clock } = await working({ recordsRuns: true });
  const day = 86_400_000;
  const request = { run: "late", job: "import", tasks: 1 };
  const attempt = { ...request, task: 0, attempt: 1, isLast: true, deadline: 1_000, history: day };
  await transact(platform, async (transaction) => insertRun(transaction, request, clock.now()));
  const cancellation = { id: "late", job: "import", within: 0, history: day };
  await transact(platform, (transaction) => cancelRun(transaction, cancellation, clock.now()));
  for (let n = 0; n < 1_001; n++)
    await transact(platform, async (transaction) =>
      insertRun(transaction, { ...request, run: `${n}` }, clock.now() + 1),
    );
  const other = { ...attempt, run: "1000" };
  expect(await beginTask(platform, other)).toBe(true);
  await endTask(platform, other, { state: "done" }, undefined);
  await clock.advance(30 * day);
  expect(await readRun(platform.entities, { job: "import", history: day }, "late", clock.now())).toBeUndefined();
  expect(await beginTask(platform, attempt)).toBe(false);
});

test("cancelling aborts the signal of a running handler, which is not tried again", async () => {
  const began = gate();
  let calls = 0;
  await using app = await importing(async ({ signal }) => {
    calls++;
    began.open();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const id = await start(app);
  const drained = app.drain();
  await began.whenOpen;
  expect(await imports.cancel(app.ctx(), id)).toBe(true);
  await drained;
  expect(await read(app, id)).toMatchObject({ state: "cancelled", attempts: 1 });
  expect(await imports.cancel(app.ctx(), id)).toBe(false);
  await app.clock.advance("1h");
  expect(calls).toBe(1);
  expect(app.logs.filter(({ level }) => level === "error")).toEqual([]);
});

test("a handler that ignores its cancellation is left alone when its time to stop is over", async () => {
  const [began, resume] = [gate(), gate()];
  await using app = await importing(async () => {
    began.open();
    await resume.whenOpen;
  });
  const id = await start(app);
  const advanced = app.clock.advance("1s");
  await began.whenOpen;
  await imports.cancel(app.ctx(), id, { within: "5s" });
  await advanced;
  expect(await read(app, id)).toMatchObject({ state: "running" });
  await app.clock.advance("5s");
  expect(await read(app, id)).toMatchObject({ state: "cancelled" });
  resume.open();
  await app.drain();
  expect(await read(app, id)).toMatchObject({ state: "cancelled", attempts: 1 });
});

test("a run is started and cancelled if and only if the transaction commits", async () => {
  await using app = await importing(() => {});
  const id = await start(app);
  const failing = transaction(app.ctx(), async (tx) => {
    await imports.start(tx, "rolled back");
    await imports.cancel(tx, id);
    expect(await imports.get(tx, id)).toMatchObject({ state: "cancelled" });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await imports.list(app.ctx())).toMatchObject([{ id, state: "waiting" }]);
  await transaction(app.ctx(), async (tx) => {
    await imports.cancel(tx, id);
    await imports.start(tx, "committed");
  });
  await app.drain();
  expect((await imports.list(app.ctx())).map(({ state }) => state).toSorted()).toEqual(["cancelled", "done"]);
});

test("the progress of a run is the average of its tasks, and one failed task fails it", async () => {
  await using app = await importing(
    (_ctx, _args, { task, progress }) => {
      progress(0.5, `task ${task}`);
      if (task === 2) throw new Error("task 2 failed");
    },
    { maxAttempts: 1 },
    4,
  );
  const id = await start(app);
  await app.drain();
  const { state, progress, error, tasks } = await read(app, id);
  expect({ state, progress, error, tasks }).toEqual({
    state: "failed",
    progress: 3.5 / 4,
    error: "task 2 failed",
    tasks: 4,
  });
});

test("a report is a number from 0 to 1, and its note is cut", async () => {
  const errors: unknown[] = [];
  await using app = await importing((_ctx, _args, { progress }) => {
    for (const share of [-0.1, 1.1, Number.NaN, "half" as never])
      try {
        progress(share);
      } catch (error) {
        errors.push(String(error));
      }
    progress(0, "x".repeat(1_000));
  });
  const id = await start(app);
  await app.drain();
  expect((await read(app, id)).note).toHaveLength(500);
  expect(errors).toHaveLength(4);
  expect(errors[2]).toContain("progress must be a number from 0 to 1, not NaN");
});

test("a note and an error have whole characters, wherever they are cut", async () => {
  await using app = await importing(
    (_ctx, _args, { progress }) => {
      progress(0.5, `${"x".repeat(499)}😀 and more`);
      throw new Error(`half a character: ${"😀".slice(0, 1)}`);
    },
    { maxAttempts: 1 },
  );
  const id = await start(app);
  await app.drain();
  const run = { state: "failed", note: "x".repeat(499), error: "half a character: \ufffd" };
  expect(await read(app, id)).toMatchObject(run);
});

test("a job keeps its last 1,000 ended runs, cancelled ones too, however many older ones have not ended", async () => {
  const { platform, clock } = await working({ recordsRuns: true });
  const first = clock.now();
  const task = { job: "import", tasks: 1, task: 0, attempt: 1, isLast: false, deadline: 1_000, history: 1e9 };
  const insert = async (n: number): Promise<void> =>
    transact(platform, async (transaction) => insertRun(transaction, { ...task, run: `${n}` }, first + n));
  for (let n = 0; n < 150; n++) await insert(n);
  expect(await beginTask(platform, { ...task, run: "149" })).toBe(true);
  for (let n = 150; n < 1_153; n++) {
    await insert(n);
    const cancellation = { id: `${n}`, job: "import", within: 0, history: 1e9 };
    if (n % 2 === 0) await transact(platform, (transaction) => cancelRun(transaction, cancellation, clock.now()));
    if (await beginTask(platform, { ...task, run: `${n}` }))
      await endTask(platform, { ...task, run: `${n}` }, { state: "done" }, undefined);
    await clock.advance(1);
  }
  const ids = [0, 149, 150, 151, 152, 153, 1_152].map((n) => ({ kind: "_fw_job_runs", id: `${n}` }));
  const documents = await platform.entities.getMany(ids);
  expect(documents.map((document) => document !== undefined)).toEqual([true, true, false, false, false, true, true]);
});

test("a run whose process was killed makes room once it counts as failed", async () => {
  const { platform, clock } = await working({ recordsRuns: true });
  const task = { job: "import", tasks: 1, task: 0, attempt: 1, isLast: true, deadline: 1_000, history: 1e9 };
  await beginTask(platform, { ...task, run: "lost" });
  await clock.advance(62_000);
  for (let n = 0; n < 1_000; n++) {
    await beginTask(platform, { ...task, run: `${n}` });
    await endTask(platform, { ...task, run: `${n}` }, { state: "done" }, undefined);
  }
  expect(await platform.entities.get({ kind: "_fw_job_runs", id: "lost" })).toBeUndefined();
  expect(await platform.entities.get({ kind: "_fw_job_runs", id: "0" })).toBeDefined();
});

test("a run that is cancelled while it begins never begins, or sees its cancellation", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-runs-"));
  const platform = await openLocal(directory, definitionsOf({ recordsRuns: true }), { temporary: true });
  onTestFinished(async () => {
    await platform.close();
    await rm(directory, { recursive: true, force: true });
  });
  const now = (): number => platform.clock.now();
  const task = { job: "import", tasks: 1, task: 0, attempt: 1, isLast: true, deadline: 1_000, history: 1e9 };
  const read = async (run: string) => readRun(platform.entities, { job: "import", history: 1e9 }, run, now());
  for (let n = 0; n < 20; n++) {
    const run = `${n}`;
    await transact(platform, async (transaction) => insertRun(transaction, { ...task, run }, now()));
    const begin = (): Promise<boolean> => beginTask(platform, { ...task, run });
    const cancel = (): Promise<boolean> =>
      transact(platform, (transaction) =>
        cancelRun(transaction, { id: run, job: "import", within: 0, history: 1e9 }, now()),
      );
    const calls = n % 2 === 0 ? ([begin(), cancel()] as const) : ([cancel(), begin()] as const);
    const results = await Promise.all(calls);
    const [hasBegun, isCancelled] = n % 2 === 0 ? results : results.toReversed();
    expect(isCancelled).toBe(true);
    const { state, attempts } = (await read(run)) ?? {};
    expect([state, attempts], run).toEqual(hasBegun === true ? ["running", 1] : ["cancelled", 0]);
    expect(await stopTime(platform.entities, run)).toBeLessThanOrEqual(now());
    if (hasBegun === true) await endTask(platform, { ...task, run }, { state: "cancelled" }, undefined);
    expect(await read(run)).toMatchObject({ state: "cancelled" });
    expect(await beginTask(platform, { ...task, run, attempt: 2 })).toBe(false);
  }
});

test("a run that never begins is recorded for a year", async () => {
  await using app = await testApps(async () => ({
    default: { ...bundleOf([]), keepsData: true, recordsRuns: true, destinations: [destination(imports)] },
  }))();
  const id = await start(app);
  await app.clock.advance("365d");
  expect(await read(app, id)).toMatchObject({ state: "waiting" });
  await app.clock.advance("2d");
  await expect(read(app, id)).rejects.toMatchObject({ status: 404 });
});

test("reports are recorded at most once a second", async () => {
  const [began, resume] = [gate(), gate()];
  await using app = await importing(async (_ctx, _args, { progress }) => {
    for (let row = 1; row <= 100; row++) progress(row / 100, `row ${row}`);
    began.open();
    await resume.whenOpen;
  });
  const id = await start(app);
  const advanced = app.clock.advance("1ms");
  await began.whenOpen;
  await advanced;
  expect(await read(app, id)).toMatchObject({ note: "row 1" });
  await app.clock.advance("1s");
  expect(await read(app, id)).toMatchObject({ note: "row 100" });
  resume.open();
  await app.drain();
});

test("an id of no run, or of another job, is a 404 and cannot be cancelled", async () => {
  await using app = await importing(() => {});
  const exports = Job("export", { history: "1d" });
  const id = await start(app);
  const calls = ["", "none", "__x__", "_fw", "a\0b", "x".repeat(2_000), "\ud800"].map(
    (each) => [imports, each] as const,
  );
  for (const [job, each] of [...calls, [exports, id] as const]) {
    await expect(job.get(app.ctx(), each)).rejects.toMatchObject({ status: 404 });
    expect(await job.cancel(app.ctx(), each)).toBe(false);
    expect(await transaction(app.ctx(), (tx) => job.cancel(tx, each))).toBe(false);
  }
  expect(await exports.list(app.ctx())).toEqual([]);
  await expect(imports.list(app.ctx(), { limit: 1_001 })).rejects.toThrow("a whole number from 1 to 1000");
  await expect(imports.cancel(app.ctx(), id, { within: "2h" })).rejects.toThrow("up to 1 hour");
});

test("a cancelled run stops all of its tasks", async () => {
  const began = gate();
  const reasons: unknown[] = [];
  await using app = await importing(
    async ({ signal }, _args, { task }) => {
      if (task === 3) began.open();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      reasons.push((signal.reason as Error).name);
    },
    {},
    4,
  );
  const id = await start(app);
  const drained = app.drain();
  await began.whenOpen;
  await imports.cancel(app.ctx(), id);
  await drained;
  expect(await read(app, id)).toMatchObject({ state: "cancelled", attempts: 1, tasks: 4 });
  expect(reasons).toEqual(Array.from({ length: 4 }, () => "RunCancelled"));
});

test("a recorded run is read and cancelled only in its tenant, whatever the names of tenants have in common", async () => {
  const orgs = Tenant("orgs", (): { readonly role: string } | undefined => undefined);
  const archives = Job<string>("archive", { tenant: orgs, history: "30d" });
  const [start, resume] = [gate(), gate()];
  const worked: (readonly [tenant: string, args: string])[] = [];
  const bundle: Bundle = {
    ...bundleOf([]),
    keepsData: true,
    recordsRuns: true,
    tenants: [{ declaration: orgs, name: "orgs", field: "org" }],
    destinations: [destination(archives)],
    consumers: [
      runner(
        Runner(archives, async (ctx, args) => {
          worked.push([ctx.tenant(orgs).id, args]);
          if (args === "wait") {
            start.open();
            await resume.whenOpen;
            ctx.signal.throwIfAborted();
          }
        }),
      ),
    ],
  };
  await using app = await testApps(async () => ({ default: bundle }))();
  const inside = (id: string): Context => orgs.as(app.ctx(), id);
  const names = ["a", "a 2", "a!", "a%202", "b"];
  const ids = new Map<string, string>();
  for (const name of names)
    ids.set(name, await transaction(inside(name), (tx) => archives.start(tx, name === "b" ? "wait" : name)));
  for (const name of names) {
    expect((await archives.list(inside(name))).map(({ id }) => id)).toEqual([ids.get(name)]);
    for (const other of names.filter((each) => each !== name)) {
      const foreign = ids.get(other) ?? "";
      await expect(archives.get(inside(name), foreign)).rejects.toMatchObject({ status: 404 });
      expect(await archives.cancel(inside(name), foreign)).toBe(false);
    }
  }
  const uses: readonly (() => Promise<unknown>)[] = [
    async () => archives.start(app.ctx(), "a"),
    () => archives.list(app.ctx()),
    () => archives.get(app.ctx(), ids.get("a") ?? ""),
    () => archives.cancel(app.ctx(), ids.get("a") ?? ""),
  ];
  for (const use of uses) await expect(use()).rejects.toThrow('belongs to the tenants "orgs" and was used outside');
  const drained = app.drain();
  await start.whenOpen;
  expect(await archives.cancel(inside("b"), ids.get("b") ?? "")).toBe(true);
  resume.open();
  await drained;
  expect(worked.toSorted()).toEqual(names.map((name) => [name, name === "b" ? "wait" : name]).toSorted());
  const states = names.map(async (name) => (await archives.get(inside(name), ids.get(name) ?? "")).state);
  expect(await Promise.all(states)).toEqual(["done", "done", "done", "done", "cancelled"]);
});
