import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Carrier, Delivery, DeliveryPolicy, Receiver } from "../messages.ts";
import { SteppedClock } from "../testing/stepped-clock.ts";
import { openLocal } from "./open.ts";
import type { LocalPlatform } from "./open.ts";

const emails: Carrier = { kind: "queue", name: "emails" };
const placed: Carrier = { kind: "topic", name: "order-placed" };

const policy: DeliveryPolicy = {
  maxAttempts: 10,
  minBackoff: 10_000,
  maxBackoff: 600_000,
  deadline: 60_000,
  concurrency: 4,
};

test("a message that fails comes back after minBackoff, then after twice as long each time, up to maxBackoff", async () => {
  const { platform, clock } = await open([worker()]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => {
    times.push(clock.now());
    throw new Error("no");
  });
  await platform.messages.send(emails, { body: "1" });
  await clock.advance(policy.maxBackoff * 10);
  await platform.dispatcher.idle();
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(gaps).toHaveLength(9);
  for (const [i, gap] of gaps.entries()) {
    const doubled = policy.minBackoff * 2 ** i;
    const shortest = Math.min(doubled, policy.maxBackoff / 1.5);
    expect(gap).toBeGreaterThanOrEqual(Math.floor(shortest));
    expect(gap).toBeLessThanOrEqual(Math.min(policy.maxBackoff, doubled * 1.5));
  }
  expect(await platform.dispatcher.dead()).toHaveLength(1);
});

test("messages that failed together do not come back together", async () => {
  const { platform, clock } = await open([worker({ concurrency: 100 })]);
  const times = new Set<number>();
  platform.dispatcher.deliver(async ({ attempt }) => {
    if (attempt === 1) throw new Error("no");
    times.add(clock.now());
  });
  await sendMany(platform, 50);
  await clock.advance(policy.minBackoff * 1.5);
  await platform.dispatcher.idle();
  expect(times.size).toBeGreaterThan(25);
});

test("a rateLimit spreads the deliveries of a queue evenly", async () => {
  const { platform, clock } = await open([worker({ rateLimit: 5, concurrency: 100 })]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => void times.push(clock.now()));
  const started = clock.now();
  await sendMany(platform, 25);
  await clock.advance(10_000);
  await platform.dispatcher.idle();
  expect(times.map((time) => time - started)).toEqual(Array.from({ length: 25 }, (_, i) => i * 200));
});

test("a rateLimit may be less than one a second, and is kept after a pause", async () => {
  const { platform, clock } = await open([worker({ rateLimit: 0.5 })]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => void times.push(clock.now()));
  await clock.advance(60_000);
  const started = clock.now();
  await sendMany(platform, 3);
  await clock.advance(60_000);
  await platform.dispatcher.idle();
  expect(times.map((time) => time - started)).toEqual([0, 2_000, 4_000]);
});

test("a receiver has as many deliveries at the same time as it may, and others have theirs", async () => {
  const { platform } = await open([worker(), { id: "shop-bill", carrier: placed, delivery: policy }]);
  const under = held(platform);
  await sendMany(platform, 10);
  await platform.messages.send(placed, { body: `"x"` });
  await vi.waitFor(() => expect(under.deliveries).toHaveLength(5));
  expect(under.deliveries.filter(({ receiver }) => receiver === "shop-bill")).toHaveLength(1);
  under.deliveries.shift()?.done();
  await vi.waitFor(() => expect(under.deliveries).toHaveLength(5));
  under.release();
  await platform.dispatcher.idle();
  expect(under.total).toBe(11);
});

test("a delivery that passes its deadline has failed, also when its handler never ends, and leaves its place", async () => {
  const { platform, clock } = await open([worker({ concurrency: 1, maxAttempts: 5 })]);
  const stuck: Delivery[] = [];
  const bodies: string[] = [];
  platform.dispatcher.deliver((delivery) => {
    bodies.push(delivery.body);
    if (delivery.body !== "0") return Promise.resolve();
    stuck.push(delivery);
    return new Promise(() => {});
  });
  await sendMany(platform, 2);
  await clock.advance(policy.deadline - 1);
  expect(bodies).toEqual(["0"]);
  expect(stuck[0]?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(bodies).toEqual(["0", "1"]);
  expect(stuck[0]?.signal.reason).toEqual(new Error("the delivery took longer than 1m"));
  await clock.advance(3_600_000);
  await platform.dispatcher.idle();
  expect(stuck.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect((await platform.dispatcher.dead())[0]?.reason).toBe("the delivery took longer than 1m");
});

test("what a handler does after its deadline no longer counts", async () => {
  const { platform, clock } = await open([worker()]);
  const under = held(platform);
  await sendMany(platform, 1);
  await clock.advance(policy.deadline);
  under.deliveries.shift()?.done();
  await clock.advance(policy.minBackoff * 1.5);
  expect(under.deliveries[0]?.attempt).toBe(2);
  under.release();
  await platform.dispatcher.idle({ all: true });
  expect(under.total).toBe(2);
});

test("stopping aborts, waits for what ends, and gives back the rest without counting the attempt", async () => {
  const { platform, clock } = await open([worker()]);
  const outcomes: Record<string, (delivery: Delivery) => Promise<void>> = {
    0: () => new Promise(() => {}),
    1: (delivery) => aborted(delivery),
    2: (delivery) => aborted(delivery).catch(() => {}),
  };
  let first = 0;
  const delivering = platform.dispatcher.deliver(async (delivery) => {
    first++;
    await outcomes[delivery.body]?.(delivery);
  });
  await sendMany(platform, 3);
  await vi.waitFor(() => expect(first).toBe(3));
  let stopped = false;
  const stopping = delivering.stop().then(() => (stopped = true));
  await clock.advance(4_999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  await stopping;
  const again: string[] = [];
  platform.dispatcher.deliver(async ({ body, attempt }) => void again.push(`${body} ${attempt}`));
  await platform.dispatcher.idle();
  expect(again.toSorted()).toEqual(["0 1", "1 1"]);
});

test("deliveries under way keep their messages from whoever delivers next", async () => {
  const { platform, clock } = await open([worker()]);
  const under = held(platform);
  await sendMany(platform, 1);
  await vi.waitFor(() => expect(under.deliveries).toHaveLength(1));
  const stopping = under.delivering.stop();
  const later: number[] = [];
  platform.dispatcher.deliver(async ({ attempt }) => void later.push(attempt));
  await clock.advance(1);
  expect(later).toEqual([]);
  under.release();
  await stopping;
  await platform.dispatcher.idle({ all: true });
  expect(later).toEqual([]);
});

test("a queue keeps its messages while nobody works on it, and under whatever name the worker comes back", async () => {
  const { platform } = await open([]);
  const bodies: string[] = [];
  platform.dispatcher.deliver(async ({ receiver, body }) => void bodies.push(`${receiver} ${body}`));
  await sendMany(platform, 1);
  await platform.redefine({ kinds: [], receivers: [worker()] });
  await platform.dispatcher.idle();
  expect(bodies).toEqual(["mail-send 0"]);
  await platform.redefine({ kinds: [] });
  await sendMany(platform, 1);
  await platform.dispatcher.idle({ all: true });
  await platform.redefine({ kinds: [], receivers: [{ ...worker(), id: "mail-post" }] });
  await platform.dispatcher.idle();
  expect(bodies).toEqual(["mail-send 0", "mail-post 0"]);
});

test("a subscriber that goes and comes back has its messages; one that is new has none from before", async () => {
  const bill: Receiver = { id: "shop-bill", carrier: placed, delivery: policy };
  const { platform } = await open([bill]);
  const seen: string[] = [];
  await platform.messages.send(placed, { body: `"1"` });
  await platform.redefine({ kinds: [], receivers: [{ ...bill, id: "shop-ship" }] });
  platform.dispatcher.deliver(async ({ receiver, body }) => void seen.push(`${receiver} ${body}`));
  await platform.messages.send(placed, { body: `"2"` });
  await platform.dispatcher.idle();
  expect(seen).toEqual([`shop-ship "2"`]);
  await platform.redefine({ kinds: [], receivers: [bill] });
  await platform.dispatcher.idle();
  expect(seen).toEqual([`shop-ship "2"`, `shop-bill "1"`]);
});

test("a policy that has changed holds from the next attempt", async () => {
  const { platform, clock } = await open([worker()]);
  let attempts = 0;
  platform.dispatcher.deliver(async () => {
    attempts++;
    throw new Error("no");
  });
  await sendMany(platform, 1);
  await platform.dispatcher.idle();
  await clock.advance(3_600_000);
  await platform.dispatcher.idle();
  expect(attempts).toBe(10);
  await sendMany(platform, 1);
  await clock.advance(policy.minBackoff * 1.5);
  expect(attempts).toBe(12);
  await platform.redefine({ kinds: [], receivers: [worker({ maxAttempts: 2 })] });
  await clock.advance(policy.minBackoff * 3);
  await platform.dispatcher.idle();
  expect(attempts).toBe(12);
  expect((await platform.dispatcher.dead()).map((dead) => [dead.attempts, dead.reason])).toEqual([
    [10, "no"],
    [2, "no"],
  ]);
});

test("two workers of one queue are refused", async () => {
  const { platform } = await open([worker()]);
  const both = { kinds: [], receivers: [worker(), { ...worker(), id: "mail-post" }] };
  await expect(platform.redefine(both)).rejects.toThrow("the queue emails has two receivers, mail-send and mail-post");
});

test("closing gives back what is under way, and messages outlive the platform", async () => {
  const { platform, directory, clock } = await open([worker()]);
  const under = held(platform);
  await sendMany(platform, 6);
  await vi.waitFor(() => expect(under.deliveries).toHaveLength(4));
  await platform.close();
  await expect(platform.messages.send(emails, { body: "1" })).rejects.toThrow("the platform was closed");
  await expect(platform.dispatcher.idle()).rejects.toThrow("the platform was closed");
  const again = await openLocal(directory, { kinds: [], receivers: [worker()] }, { clock });
  const seen: string[] = [];
  again.dispatcher.deliver(async ({ body, attempt }) => void seen.push(`${body} ${attempt}`));
  await again.dispatcher.idle();
  expect(seen.toSorted()).toEqual(["0 1", "1 1", "2 1", "3 1", "4 1", "5 1"]);
  await again.close();
});

test("the newest 10,000 dead messages of a receiver are kept", async () => {
  const receivers = [worker({ concurrency: 1000 }), { id: "shop-bill", carrier: placed, delivery: policy }];
  const { platform } = await open(receivers);
  platform.dispatcher.deliver(() => Promise.reject(new Error("no")));
  await platform.messages.send(placed, { body: `"other"` });
  await platform.redefine({
    kinds: [],
    receivers: receivers.map((each) => ({ ...each, delivery: { ...each.delivery, maxAttempts: 1 } })),
  });
  await sendMany(platform, 10_050);
  await platform.dispatcher.idle({ all: true });
  const dead = await platform.dispatcher.dead({ receiver: "mail-send", limit: 20_000 });
  expect(dead).toHaveLength(10_000);
  expect(dead.map(({ body }) => Number(body)).toSorted((a, b) => a - b)[0]).toBeGreaterThan(0);
  expect(await platform.dispatcher.dead({ receiver: "shop-bill" })).toHaveLength(1);
  expect(await platform.dispatcher.dead()).toHaveLength(100);
});

test("nothing ticks while nothing is due", async () => {
  const { platform, clock } = await open([worker()]);
  platform.dispatcher.deliver(async () => {});
  await sendMany(platform, 3);
  await platform.dispatcher.idle();
  await clock.advance(policy.deadline);
  expect(clock.sleeping).toBe(0);
  await platform.messages.send(emails, { body: "1", delay: 1000 });
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
});

test("a message that waits does not keep the process alive", async () => {
  const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));
  const code = `const { openLocal } = await import(${JSON.stringify(built)});
    const definitions = { kinds: [], receivers: [${JSON.stringify(worker())}] };
    const { messages, dispatcher } = await openLocal(${JSON.stringify(await scratch())}, definitions);
    dispatcher.deliver(async () => {});
    await messages.send(${JSON.stringify(emails)}, { body: "1", delay: 3600000 });
    await dispatcher.idle();
    process.stdout.write("idle");`;
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", code], options)).toBe("idle");
});

function worker(delivery: Partial<DeliveryPolicy> = {}): Receiver {
  return { id: "mail-send", carrier: emails, delivery: { ...policy, ...delivery } };
}

async function open(
  receivers: readonly Receiver[],
): Promise<{ platform: LocalPlatform; clock: SteppedClock; directory: string }> {
  const clock = new SteppedClock();
  const directory = await scratch();
  const platform = await openLocal(directory, { kinds: [], receivers }, { clock });
  onTestFinished(() => platform.close());
  return { platform, clock, directory };
}

async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "fw-messages-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** Sends messages whose bodies are 0, 1, 2 … */
async function sendMany({ messages }: LocalPlatform, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => messages.send(emails, { body: `${i}` })));
}

/** Delivers to a handler that goes on until it is told to end. */
function held({ dispatcher }: LocalPlatform): {
  readonly deliveries: (Delivery & { done: () => void })[];
  readonly delivering: { stop(): Promise<void> };
  readonly total: number;
  release(): void;
} {
  const deliveries: (Delivery & { done: () => void })[] = [];
  let total = 0;
  let released = false;
  const delivering = dispatcher.deliver((delivery) => {
    total++;
    if (released) return Promise.resolve();
    return new Promise((done) => deliveries.push({ ...delivery, done }));
  });
  return {
    deliveries,
    delivering,
    get total() {
      return total;
    },
    release() {
      released = true;
      for (const { done } of deliveries.splice(0)) done();
    },
  };
}

/** Rejects when the delivery is told to end. */
function aborted({ signal }: Delivery): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}
