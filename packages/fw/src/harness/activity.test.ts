import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Auth } from "../declare/auth.ts";
import type { Context } from "../declare/context.ts";
import { Cron } from "../declare/cron.ts";
import { Queue } from "../declare/queue.ts";
import { Worker } from "../declare/worker.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { apis, bundleOf } from "../runtime/testing/app.ts";
import { destination, cron, worker } from "../runtime/testing/background.ts";
import type { TestApp, TestAppOptions } from "./test-app.ts";
import { testApps } from "./load.ts";

const auth = Auth({ password: true });
const mails = Queue<string>("mails");
const start = Date.parse("2026-01-01T00:00:00Z");

/** Different kinds of work that takes real time. */
const works: readonly ((ctx: Context, n: number) => Promise<unknown>)[] = [
  () => setTimeout(30),
  () => readFile(fileURLToPath(import.meta.url)),
  (ctx, n) => auth.users.create(ctx, { email: `${n}@x.test`, password: "correct horse" }),
  async (ctx) => {
    for (let i = 0; i < 20; i++) await auth.users.byEmail(ctx, "nobody@x.test");
  },
];

function bundleWith(parts: Partial<Bundle>): (options?: TestAppOptions) => Promise<TestApp> {
  const [me] = apis({ "GET /me": { signIn: true, run: (ctx) => ctx.user().id } });
  const own = { ...bundleOf(me ? [me] : []), auth: { social: false, password: true, roles: [] }, ...parts };
  return testApps(async () => ({ default: own }));
}

test("what happens while time passes happens at its instants, so often and no more, however long it really takes", async () => {
  const ticks: number[] = [];
  const attempts: number[] = [];
  await using app = await bundleWith({
    destinations: [destination(mails)],
    consumers: [
      worker(
        Worker(mails, async (ctx, _mail, { attempt }) => {
          attempts.push(ctx.now().getTime() - start);
          await works[attempt % works.length]?.(ctx, -attempt);
          throw new Error("busy");
        }),
        { maxAttempts: 4 },
      ),
    ],
    crons: [
      cron(
        Cron("often", "every 5m", async (ctx) => {
          ticks.push(ctx.now().getTime() - start);
          await works[ticks.length % works.length]?.(ctx, ticks.length);
        }),
      ),
    ],
  })({ now: new Date(start) });
  await mails.send(app.ctx(), "hello");
  await app.clock.advance("30m");
  expect(ticks).toEqual([5, 10, 15, 20, 25, 30].map((minute) => minute * 60_000));
  expect(attempts).toEqual([0, 1_000, 3_000, 7_000]);
});

test("a handler that time stops for goes on when it passes again, up to its deadline", async () => {
  const reasons: string[] = [];
  await using app = await bundleWith({
    destinations: [destination(mails)],
    consumers: [
      worker(
        Worker(mails, (ctx) => {
          ctx.signal.addEventListener("abort", () => reasons.push(String(ctx.signal.reason)));
          return new Promise<void>(() => {});
        }),
        { deadline: 60_000, maxAttempts: 1 },
      ),
    ],
  })();
  await mails.send(app.ctx(), "hello");
  await app.clock.advance("59s");
  expect(reasons).toEqual([]);
  await app.clock.advance("1s");
  expect(reasons).toEqual(["DeadlinePassed: the deadline of 1m has passed"]);
});

test("nothing is delivered while time stands still", async () => {
  const seen: string[] = [];
  await using app = await bundleWith({
    destinations: [destination(mails)],
    consumers: [worker(Worker(mails, (_ctx, mail) => void seen.push(mail)))],
  })();
  await mails.send(app.ctx(), "hello");
  expect((await app.fetch("/me")).status).toBe(401);
  expect(seen).toEqual([]);
  await app.clock.advance("0s");
  expect(seen).toEqual(["hello"]);
});

test("a session begins before the time that passes after it", async () => {
  await using app = await bundleWith({})();
  const ann = app.signIn({ email: "ann@x.test" });
  await app.clock.advance("7d");
  expect((await app.fetch("/me", { as: ann })).status).toBe(401);
});

test("draining ends when the application is closed meanwhile", async () => {
  const app: TestApp = await bundleWith({
    destinations: [destination(mails)],
    consumers: [worker(Worker(mails, () => app.close()))],
  })();
  await mails.send(app.ctx(), "hello");
  await expect(app.drain()).rejects.toThrow("the platform was closed");
});
