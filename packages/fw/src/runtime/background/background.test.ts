import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Cron } from "../../declare/cron.ts";
import type { DeadLetter, DeliveryInfo } from "../../declare/delivery.ts";
import { transaction } from "../../declare/entity.ts";
import { Fault } from "../../declare/errors.ts";
import { Job } from "../../declare/job.ts";
import { Queue } from "../../declare/queue.ts";
import type { Run } from "../../declare/run.ts";
import { Runner } from "../../declare/runner.ts";
import { Singleton } from "../../declare/singleton.ts";
import { Subscribe } from "../../declare/subscribe.ts";
import { Topic } from "../../declare/topic.ts";
import { Worker } from "../../declare/worker.ts";
import { deliveryConcurrency } from "../../lib/limits.ts";
import type { Lease } from "../../platform/contract.ts";
import { hostile } from "../../lib/testing/hostile.ts";
import { BadInput } from "../decode/bad-input.ts";
import { settings } from "../settings.ts";
import { destination, cron, runner, subscriber, worker, working } from "../testing/background.ts";
import type { BackgroundContext } from "./context.ts";

interface Email {
  readonly to: string;
}

const emails = Queue<Email>("emails");

/** Creates a handler that records its calls and throws while `failing` is set. */
function handlerOf<Message>(): {
  readonly calls: { message: Message; delivery: DeliveryInfo; ctx: Context }[];
  readonly handler: (ctx: Context, message: Message, delivery: DeliveryInfo) => void;
  failing: boolean;
} {
  const calls = {
    calls: [] as { message: Message; delivery: DeliveryInfo; ctx: Context }[],
    failing: false,
    handler: (ctx: Context, message: Message, delivery: DeliveryInfo): void => {
      calls.calls.push({ message, delivery, ctx });
      if (calls.failing) throw new Error("no such mailbox");
    },
  };
  return calls;
}

describe("a worker", () => {
  test("handles each message of its queue, with its id and attempt", async () => {
    const calls = handlerOf<Email>();
    const { ctx, platform } = await working({
      destinations: [destination(emails)],
      consumers: [worker(Worker(emails, calls.handler))],
    });
    const id = await emails.send(ctx, { to: "ada" });
    await platform.dispatcher.idle();
    expect(calls.calls).toMatchObject([{ message: { to: "ada" }, delivery: { id, attempt: 1 } }]);
  });

  test("gets a message that it failed on again, until it is dead and its subscribers are told", async () => {
    const calls = handlerOf<Email>();
    calls.failing = true;
    const dead: DeadLetter<Email>[] = [];
    const deadHandler = Subscribe(emails.dead, (_ctx, letter) => void dead.push(letter));
    const { ctx, clock, platform, logs } = await working({
      destinations: [destination(emails)],
      consumers: [worker(Worker(emails, calls.handler)), subscriber("lost", deadHandler)],
    });
    const id = await emails.send(ctx, { to: "ada" });
    await clock.advance(600_000);
    expect(calls.calls.map(({ delivery }) => delivery.attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(dead).toEqual([
      { id, message: { to: "ada" }, attempts: 5, reason: expect.stringContaining("no such mailbox") },
    ]);
    expect(await platform.dispatcher.dead()).toMatchObject([{ id, consumer: "web-workerOfemails" }]);
    expect(logs.filter(({ level }) => level === "error")).toHaveLength(5);
  });

  test("logs under handler and source, and has no user: the client is the zero Client", async () => {
    const calls = handlerOf<Email>();
    const { ctx, platform, logs } = await working({
      destinations: [destination(emails)],
      consumers: [
        worker(
          Worker(emails, (inner, message, delivery) => {
            inner.log.info("here");
            calls.handler(inner, message, delivery);
          }),
        ),
      ],
    });
    await emails.send(ctx, { to: "ada" });
    await platform.dispatcher.idle();
    expect(logs).toMatchObject([{ message: "here", tags: { handler: "workerOfemails", source: "queue:emails" } }]);
    const [call] = calls.calls;
    expect(call?.ctx).toMatchObject({ client: { ip: "", userAgent: "" }, isHTMX: false });
    expect(call?.ctx.maybeUser()).toBeUndefined();
    expect(() => call?.ctx.user()).toThrow(Fault);
  });

  test("runs the newest code, and finishes with the code that it began with", async () => {
    const [first, second] = [handlerOf<Email>(), handlerOf<Email>()];
    const { ctx, platform, use } = await working({
      destinations: [destination(emails)],
      consumers: [worker(Worker(emails, first.handler))],
    });
    await emails.send(ctx, { to: "ada" });
    await platform.dispatcher.idle();
    await use({ destinations: [destination(emails)], consumers: [worker(Worker(emails, second.handler))] });
    await emails.send(ctx, { to: "bo" });
    await platform.dispatcher.idle();
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });

  test("counts each delivery of a message that does not fit its type, and no failure of the handler", async () => {
    const decode = (value: unknown): unknown => {
      if (typeof (value as Email).to !== "string") throw new BadInput("to: is required");
      return value;
    };
    const failing = handlerOf<Email>();
    failing.failing = true;
    const { ctx, platform, metrics, use } = await working({ destinations: [destination(emails)] });
    await emails.send(ctx, {} as Email);
    await emails.send(ctx, { to: "ada" });
    await use({
      destinations: [destination(emails, { decode })],
      consumers: [worker(Worker(emails, failing.handler))],
    });
    await platform.dispatcher.idle();
    expect(failing.calls).toHaveLength(1);
    expect(metrics.snapshot().series).toEqual([
      { name: "misfits", kind: "counter", labels: { of: "queue emails" }, value: 1 },
    ]);
  });

  test("that passes its deadline is told in the log, also when it never ends", async () => {
    const stuck = Worker(emails, () => new Promise(() => {}));
    const { ctx, clock, logs } = await working({
      destinations: [destination(emails)],
      consumers: [worker(stuck, { deadline: 60_000 })],
    });
    await emails.send(ctx, { to: "ada" });
    await clock.advance(60_000);
    expect(logs).toMatchObject([{ message: "the handler failed", fields: { attempt: 1 } }]);
    expect(String(logs[0]?.fields["error"])).toContain("the deadline of 1m has passed");
  });

  test("sees ctx.signal abort when the application stops, and the message is given back", async () => {
    let attempts = 0;
    const waits = Worker(emails, async (ctx) => {
      attempts++;
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("stopped"))));
    });
    const { ctx, platform, background, logs } = await working({
      destinations: [destination(emails)],
      consumers: [worker(waits)],
    });
    await emails.send(ctx, { to: "ada" });
    await expect.poll(() => attempts).toBe(1);
    await background.stop();
    expect(logs).toEqual([]);
    const again: number[] = [];
    const delivering = platform.dispatcher.deliver(async ({ attempt }) => void again.push(attempt));
    await platform.dispatcher.idle();
    await delivering.stop();
    expect(again).toEqual([1]);
  });

  test("gets so many messages at the same time and no more", async () => {
    let [under, most] = [0, 0];
    const ends: (() => void)[] = [];
    const slow = Worker(emails, async () => {
      most = Math.max(most, ++under);
      await new Promise<void>((resolve) => ends.push(resolve));
      under--;
    });
    const { ctx, platform } = await working({ destinations: [destination(emails)], consumers: [worker(slow)] });
    for (let n = 0; n < deliveryConcurrency + 4; n++) await emails.send(ctx, { to: String(n) });
    await expect.poll(() => under).toBe(deliveryConcurrency);
    const finished = platform.dispatcher.idle();
    const remaining = (): number => {
      ends.splice(0).forEach((end) => end());
      return under + ends.length;
    };
    await expect.poll(remaining).toBe(0);
    await finished;
    expect(most).toBe(deliveryConcurrency);
  });
});

describe("a message", () => {
  test("of another type than the queue's is a fault of the program, at the sender", async () => {
    const decode = (): never => {
      throw new BadInput("body to: is required");
    };
    const { ctx, platform } = await working({ destinations: [destination(emails, { decode })] });
    await expect(emails.send(ctx, {} as Email)).rejects.toThrow(
      'the queue "emails" refuses this message: body to: is required',
    );
    expect(platform.clock.now()).toBeGreaterThan(0);
  });

  test("larger than 256 KiB is refused", async () => {
    const { ctx } = await working({ destinations: [destination(emails)] });
    await expect(emails.send(ctx, { to: "a".repeat(262_144) })).rejects.toThrow(
      "a message may have at most 262144 bytes",
    );
  });

  test("with a delay comes no earlier", async () => {
    const calls = handlerOf<Email>();
    const { ctx, clock } = await working({
      destinations: [destination(emails)],
      consumers: [worker(Worker(emails, calls.handler))],
    });
    await emails.send(ctx, { to: "ada" }, { delay: "10m" });
    await clock.advance(599_999);
    expect(calls.calls).toHaveLength(0);
    await clock.advance(1);
    expect(calls.calls).toHaveLength(1);
    await expect(emails.send(ctx, { to: "ada" }, { delay: "31d" })).rejects.toThrow('"31d" is not a valid delay');
  });

  test("that a transaction sends is sent when it commits, and never otherwise", async () => {
    const calls = handlerOf<Email>();
    const { ctx, platform } = await working({
      destinations: [destination(emails)],
      consumers: [worker(Worker(emails, calls.handler))],
    });
    await transaction(ctx, async (tx) => {
      await emails.send(tx, { to: "kept" });
    });
    const failed = transaction(ctx, async (tx) => {
      await emails.send(tx, { to: "lost" });
      throw new Error("undone");
    });
    await expect(failed).rejects.toThrow("undone");
    await platform.dispatcher.idle();
    expect(calls.calls.map(({ message }) => message.to)).toEqual(["kept"]);
  });
});

test("a topic's event reaches every subscriber, whatever the others do", async () => {
  const placed = Topic<{ order: string }>("order-placed");
  const [one, two] = [handlerOf<{ order: string }>(), handlerOf<{ order: string }>()];
  one.failing = true;
  const { ctx, platform } = await working({
    destinations: [destination(placed)],
    consumers: [subscriber("one", Subscribe(placed, one.handler)), subscriber("two", Subscribe(placed, two.handler))],
  });
  await placed.publish(ctx, { order: "1" });
  await platform.dispatcher.idle();
  expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
});

describe("a job", () => {
  const rebuild = Job<{ since: string }>("rebuild");

  test("starts all its tasks with the same run, and logs under job and task", async () => {
    const runs: Run[] = [];
    const body = Runner(rebuild, (ctx, { since }, run) => {
      runs.push(run);
      ctx.log.info(since);
    });
    const { ctx, platform, logs } = await working({
      destinations: [destination(rebuild, { tasks: 3 })],
      consumers: [runner(body)],
    });
    const id = await rebuild.start(ctx, { since: "today" });
    await platform.dispatcher.idle();
    expect(runs.toSorted((a, b) => a.task - b.task)).toEqual(
      [0, 1, 2].map((task) => ({ id, task, tasks: 3, attempt: 1 })),
    );
    expect(logs.map(({ tags }) => tags)).toContainEqual({ job: "rebuild", task: "1" });
  });

  test("may have more tasks than a transaction has messages", async () => {
    let ran = 0;
    const { ctx, platform } = await working({
      destinations: [destination(rebuild, { tasks: 501 })],
      consumers: [runner(Runner(rebuild, () => void ran++))],
    });
    await rebuild.start(ctx, { since: "today" });
    await platform.dispatcher.idle();
    expect(ran).toBe(501);
  });

  test("tries a task that failed again, so often and no more", async () => {
    const attempts: number[] = [];
    const body = Runner(rebuild, (_ctx, _args, { attempt }) => {
      attempts.push(attempt);
      throw new Error("no");
    });
    const { ctx, clock } = await working({
      destinations: [destination(rebuild)],
      consumers: [runner(body, { maxAttempts: 3 })],
    });
    await rebuild.start(ctx, { since: "today" });
    await clock.advance(600_000);
    expect(attempts).toEqual([1, 2, 3]);
  });

  test("sees ctx.signal abort at its timeout", async () => {
    let aborted = false;
    const body = Runner(rebuild, (ctx) => {
      return new Promise((_, reject) => {
        ctx.signal.addEventListener("abort", () => {
          aborted = true;
          reject(new Error("late"));
        });
      });
    });
    const { ctx, clock } = await working({
      destinations: [destination(rebuild)],
      consumers: [runner(body, { deadline: 60_000, maxAttempts: 1 })],
    });
    await rebuild.start(ctx, { since: "today" });
    await clock.advance(60_000);
    expect(aborted).toBe(true);
  });
});

describe("a cron", () => {
  test.each([
    { place: "fw serve", of: settings.served },
    { place: "fw dev --services", of: settings.services },
  ])("runs once a tick under $place, whose supervisor triggers it: no service follows the schedule", async ({ of }) => {
    let ran = 0;
    const app = await working({ crons: [cron(Cron("hourly", "30 * * * *", () => void ran++))] }, of);
    await app.clock.advance(3 * 3_600_000);
    expect([ran, app.logs]).toEqual([0, []]);
  });

  test("runs at each tick of its schedule, under its name", async () => {
    const at: number[] = [];
    const hourly = Cron("hourly", "30 * * * *", (ctx) => {
      ctx.log.info("tick");
      at.push(clockNow());
    });
    const app = await working({ crons: [cron(hourly)] });
    const clockNow = (): number => app.clock.now();
    const start = app.clock.now();
    await app.clock.advance(3 * 3_600_000);
    expect(at.map((instant) => instant - start)).toEqual([30, 90, 150].map((minute) => minute * 60_000));
    expect(app.logs).toMatchObject([{ tags: { cron: "hourly" } }, {}, {}]);
  });

  test("runs once for one tick, however often the code is loaded", async () => {
    let ran = 0;
    const parts = { crons: [cron(Cron("hourly", "30 * * * *", () => void ran++))] };
    const app = await working(parts);
    await app.clock.advance(30 * 60_000 - 1);
    await app.use(parts);
    await app.use(parts);
    await app.clock.advance(1);
    await app.use(parts);
    await app.clock.advance(60_000);
    expect(ran).toBe(1);
  });

  test.each([-86_400_000, -600_000, 86_400_000])(
    "runs at the ticks that the clock shows after it was set by %i ms, each once, however often the code is loaded",
    async (jump) => {
      const at: number[] = [];
      const often = Cron("often", "*/5 * * * *", () => void at.push(app.clock.now()));
      const app = await working({ crons: [cron(often)] });
      await app.clock.advance(86_400_000);
      expect(at).toHaveLength(288);
      at.length = 0;
      app.clock.jump(jump);
      const start = app.clock.now();
      await app.clock.advance(61_000);
      await app.use({ crons: [cron(often)] });
      await app.clock.advance(30 * 60_000);
      const ticks = [...new Set(at.map((instant) => Math.floor(instant / 300_000)))];
      expect(at).toHaveLength(ticks.length);
      expect(at.length).toBeGreaterThanOrEqual(6);
      expect(Math.min(...at)).toBeLessThanOrEqual(start + 300_000);
    },
  );

  test("sees ctx.signal abort at its deadline, and has failed", async () => {
    let reason: unknown;
    const slow = Cron("slow", "0 1 * * *", (ctx) => {
      return new Promise<void>((resolve) => {
        ctx.signal.addEventListener("abort", () => {
          reason = ctx.signal.reason;
          resolve();
        });
      });
    });
    const app = await working({ crons: [cron(slow, { deadline: 15_000 })] });
    await app.clock.advance(3_600_000 + 15_000);
    expect(String(reason)).toContain("the deadline of 15s has passed");
    expect(app.logs).toMatchObject([{ level: "error", message: "the cron failed", tags: { cron: "slow" } }]);
  });

  test("does not begin while its run before goes on", async () => {
    let began = 0;
    let end = (): void => {};
    const slow = Cron("slow", "0 * * * *", () => {
      began++;
      return new Promise<void>((resolve) => (end = resolve));
    });
    const app = await working({ crons: [cron(slow, { deadline: 30 * 3_600_000 })] });
    await app.clock.advance(2 * 3_600_000);
    expect(began).toBe(1);
    expect(app.logs).toMatchObject([{ level: "warn", message: "skipped: the previous run has not ended" }]);
    end();
    await setImmediate();
    await app.clock.advance(3_600_000);
    expect(began).toBe(2);
  });

  test("that fails is logged, and its next tick runs", async () => {
    let ran = 0;
    const broken = Cron("broken", "0 * * * *", () => {
      ran++;
      throw new Error("no");
    });
    const app = await working({ crons: [cron(broken)] });
    await app.clock.advance(2 * 3_600_000);
    expect(ran).toBe(2);
    expect(app.logs.map(({ message }) => message)).toEqual(["the cron failed", "the cron failed"]);
  });
});

describe("a singleton", () => {
  const singletons = (body: (ctx: Context) => void | Promise<void>): { singletons: never[] } => ({
    singletons: [{ declaration: Singleton("relay", body), name: "relay", service: "web-relay" }] as never[],
  });
  const untilAborted = (ctx: Context): Promise<void> =>
    new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve()));

  test("runs one body only, however many applications share its platform; another waits", async () => {
    let running = 0;
    let most = 0;
    const body = async (ctx: Context): Promise<void> => {
      most = Math.max(most, ++running);
      await untilAborted(ctx);
      running--;
    };
    const app = await working(singletons(body));
    await app.clock.advance(0);
    expect(running).toBe(1);
    await app.use(singletons(body));
    await app.clock.advance(60_000);
    expect([running, most]).toEqual([1, 1]);
    expect(await app.platform.leases.acquire("singleton:relay", 1_000)).toBeUndefined();
  });

  test("is started again with a growing pause when its body throws or ends", async () => {
    const at: number[] = [];
    const app = await working(
      singletons(() => {
        at.push(app.clock.now());
        throw new Error("no");
      }),
    );
    const start = app.clock.now();
    await app.clock.advance(10_000);
    expect(at.map((instant) => instant - start)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(app.logs[0]).toMatchObject({
      message: "the singleton failed and will be restarted",
      tags: { singleton: "relay" },
    });
  });

  test("that keeps failing is started again once a minute", async () => {
    let starts = 0;
    const app = await working(
      singletons(() => {
        starts++;
        throw new Error("no");
      }),
    );
    await app.clock.advance(3_600_000);
    const before = starts;
    await app.clock.advance(600_000);
    expect(starts - before).toBe(10);
  });

  test("whose renewals are not answered is aborted before another process can take its lease", async () => {
    let ctx: Context | undefined;
    const app = await working(
      singletons(async (own) => {
        ctx ??= own;
        await untilAborted(own);
      }),
    );
    await app.clock.advance(0);
    const { leases } = app.platform;
    let failed = 0;
    leases.renew = async () => {
      await app.clock.sleep(20_000);
      failed++;
      throw new Error("unreachable");
    };
    await app.clock.advance(14_999);
    expect(ctx?.signal.aborted).toBe(false);
    expect(await leases.acquire("singleton:relay", 1_000)).toBeUndefined();
    await app.clock.advance(1);
    expect({ aborted: ctx?.signal.aborted, failed }).toEqual({ aborted: true, failed: 0 });
  });

  test("that has lost its lease is aborted, and its transactions write nothing", async () => {
    let ctx: Context | undefined;
    const app = await working({
      ...singletons(async (own) => {
        ctx ??= own;
        await untilAborted(own);
      }),
      destinations: [destination(emails)],
    });
    await app.clock.advance(0);
    const { fence } = ctx as unknown as BackgroundContext;
    await (fence as Lease).release();
    const another = await app.platform.leases.acquire("singleton:relay", 600_000);
    await expect(
      transaction(ctx as Context, async (tx) => void (await emails.send(tx, { to: "late" }))),
    ).rejects.toThrow(/lease/);
    await app.clock.advance(15_000);
    expect(ctx?.signal.aborted).toBe(true);
    await another?.release();
  });
});

test("whatever a worker or a cron throws is logged, and the next one runs", async () => {
  for (const { what, make } of fc.sample(hostile, { numRuns: 12, seed: 3 })) {
    let sentCount = 0;
    const app = await working({
      destinations: [destination(emails)],
      consumers: [
        worker(
          Worker(emails, () => {
            sentCount++;
            throw make();
          }),
        ),
      ],
      crons: [
        cron(
          Cron("odd", "0 * * * *", () => {
            throw make();
          }),
        ),
      ],
    });
    await emails.send(app.ctx, { to: "ada" });
    await app.clock.advance(2 * 3_600_000);
    expect({ what, sent: sentCount }).toEqual({ what, sent: 5 });
    const errors = app.logs.filter(({ level }) => level === "error").map(({ message }) => message);
    expect({ what, crons: errors.filter((message) => message === "the cron failed").length }).toEqual({
      what,
      crons: 2,
    });
    expect({ what, errors: errors.length }).toEqual({ what, errors: 7 });
  }
});
