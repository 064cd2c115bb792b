import { execFileSync } from "node:child_process";
import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "../../../lib/testing/scratch.ts";
import { DeadlinePassed } from "../../deadline.ts";
import { MisfitMessage } from "../../misfit.ts";
import type { Delivery } from "../../messages.ts";
import { aborted, emails, held, openMessages, placed, policy, sendMany, worker } from "../../testing/local-messages.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { LocalMessages, messageTables } from "../messages.ts";
import { openLocal, type LocalPlatform } from "../open.ts";
import { openDatabase } from "../sqlite.ts";
import { WriteQueue } from "../write-queue.ts";

test("a consumer has as many deliveries at the same time as it may, and others have theirs", async () => {
  const { platform } = await openMessages([worker(), { id: "shop-bill", destination: placed, delivery: policy }]);
  const under = held(platform);
  await sendMany(platform, 10);
  await platform.messages.send(placed, { body: `"x"` });
  await expect.poll(() => under.deliveries.length).toBe(5);
  expect(under.deliveries.filter(({ consumer }) => consumer === "shop-bill")).toHaveLength(1);
  const backlog = await platform.dispatcher.backlog();
  expect(backlog.map(({ consumer, inFlight }) => `${consumer} ${inFlight}`).toSorted()).toEqual([
    "mail-send 4",
    "shop-bill 1",
  ]);
  under.deliveries.shift()?.done();
  await expect.poll(() => under.deliveries.length).toBe(5);
  under.release();
  await platform.dispatcher.idle();
  expect(under.total).toBe(11);
});

test("a delivery that passes its deadline has failed, also when its handler never ends, and leaves its place", async () => {
  const { platform, clock } = await openMessages([worker({ concurrency: 1, maxAttempts: 5 })]);
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
  expect(stuck[0]?.signal.reason).toEqual(new DeadlinePassed(60_000));
  await clock.advance(3_600_000);
  await platform.dispatcher.idle();
  expect(stuck.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect((await platform.dispatcher.dead())[0]?.reason).toBe("the deadline of 1m has passed");
});

test("what a handler does after its deadline no longer counts", async () => {
  const { platform, clock } = await openMessages([worker()]);
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
  const { platform, clock } = await openMessages([worker()]);
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
  await expect.poll(() => first).toBe(3);
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

test("a handler that stops delivering spares the messages behind it", async () => {
  const { platform } = await openMessages([worker()]);
  let stopping: Promise<void> | undefined;
  const delivering = platform.dispatcher.deliver(async () => {
    stopping = delivering.stop();
  });
  await sendMany(platform, 4);
  await expect.poll(() => stopping !== undefined).toBe(true);
  await stopping;
  const again: string[] = [];
  platform.dispatcher.deliver(async ({ body, attempt }) => void again.push(`${body} ${attempt}`));
  await platform.dispatcher.idle();
  expect(again).toEqual(["1 1", "2 1", "3 1"]);
});

test("deliveries under way keep their messages from whoever delivers next", async () => {
  const { platform, clock } = await openMessages([worker()]);
  const under = held(platform);
  await sendMany(platform, 1);
  await expect.poll(() => under.deliveries.length).toBe(1);
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

test("idle waits for messages that are due later until they have been delivered", async () => {
  const { platform, clock } = await openMessages([worker()]);
  const events: string[] = [];
  await platform.messages.send(emails, { body: "0", delay: 3_600_000 });
  const idle = platform.dispatcher.idle({ all: true }).then(() => events.push("idle"));
  await clock.advance(1_000);
  expect(events).toEqual([]);
  platform.dispatcher.deliver(async ({ body }) => void events.push(body));
  await idle;
  expect(events).toEqual(["0", "idle"]);
});

test("what a stopped delivery does not end is delivered by the next one", async () => {
  const { platform, clock } = await openMessages([worker()]);
  let hasBegun = false;
  const stuck = platform.dispatcher.deliver(() => {
    hasBegun = true;
    return new Promise(() => {});
  });
  await sendMany(platform, 1);
  await expect.poll(() => hasBegun).toBe(true);
  const stopping = stuck.stop();
  const later: string[] = [];
  platform.dispatcher.deliver(async ({ body, attempt }) => void later.push(`${body} ${attempt}`));
  await clock.advance(4_999);
  expect(later).toEqual([]);
  await clock.advance(1);
  await stopping;
  await expect.poll(() => later).toEqual(["0 1"]);
});

test("closing gives back what is under way, and messages outlive the platform", async () => {
  const { platform, directory, clock } = await openMessages([worker()]);
  const under = held(platform);
  await sendMany(platform, 6);
  await expect.poll(() => under.deliveries.length).toBe(4);
  await platform.close();
  const reasons = under.deliveries.map(({ signal }) => signal.reason as Error);
  expect(reasons.map(({ message }) => message)).toEqual(Array(4).fill("the platform was closed"));
  await expect(platform.messages.send(emails, { body: "1" })).rejects.toThrow("the platform was closed");
  await expect(platform.dispatcher.idle()).rejects.toThrow("the platform was closed");
  const again = await openLocal(directory, { kinds: [], consumers: [worker()] }, { clock });
  const handledBodies: string[] = [];
  again.dispatcher.deliver(async ({ body, attempt }) => void handledBodies.push(`${body} ${attempt}`));
  await again.dispatcher.idle();
  expect(handledBodies.toSorted()).toEqual(["0 1", "1 1", "2 1", "3 1", "4 1", "5 1"]);
  await again.close();
});

test("who waits for the last delivery is told when the platform closes first", async () => {
  const { platform, clock } = await openMessages([worker()]);
  const under = held(platform);
  await sendMany(platform, 1);
  await expect.poll(() => under.deliveries.length).toBe(1);
  const refused = expect(platform.dispatcher.idle()).rejects.toThrow("the platform was closed");
  await clock.advance(1);
  await platform.close();
  await refused;
});

test("a message whose delivery a crash interrupted is due at once, and from the second crash on after a backoff", async () => {
  const { platform, directory, clock } = await openMessages([worker()]);
  const attempts: number[] = [];
  async function underWayThenCrash(own: LocalPlatform, from: string): Promise<string> {
    const under = held(own);
    await expect.poll(() => under.deliveries.length).toBe(1);
    attempts.push(under.deliveries[0]?.attempt ?? 0);
    // Copies the data that the process would leave if it ended now.
    const left = await scratch();
    await cp(from, left, { recursive: true });
    return left;
  }
  async function reopened(left: string): Promise<LocalPlatform> {
    const again = await openLocal(left, { kinds: [], consumers: [worker()] }, { clock });
    onTestFinished(() => again.close());
    return again;
  }
  await sendMany(platform, 1);
  const once = await underWayThenCrash(platform, directory);
  const twice = await underWayThenCrash(await reopened(once), once);
  const third = held(await reopened(twice));
  await clock.advance(policy.minBackoff * 2 - 1);
  expect(third.total).toBe(0);
  await clock.advance(policy.minBackoff + 1);
  expect(third.deliveries.map(({ attempt }) => attempt)).toEqual([3]);
  expect(attempts).toEqual([1, 2]);
});

test("a message whose delivery a crash interrupted can be retried before its backoff has passed, but not while in flight", async () => {
  const consumers = [worker({ minBackoff: 3_600_000, maxBackoff: 3_600_000 })];
  const { platform, directory, clock } = await openMessages(consumers);
  const failing = platform.dispatcher.deliver(() => Promise.reject(new Error("failed")));
  await sendMany(platform, 1);
  const pending = (from: LocalPlatform): ReturnType<LocalPlatform["dispatcher"]["pending"]> =>
    from.dispatcher.pending("queue:emails", "mail-send", 9);
  const hasten = async (from: LocalPlatform): Promise<void> => {
    const [message] = await pending(from);
    await from.dispatcher.hasten("queue:emails", "mail-send", message?.id ?? "");
  };
  await expect.poll(async () => (await pending(platform))[0]?.reason).toBe("failed");
  await failing.stop();
  const second = held(platform);
  await hasten(platform);
  await expect.poll(() => second.deliveries.length).toBe(1);
  const [during] = await pending(platform);
  await hasten(platform);
  expect(await pending(platform)).toEqual([during]);
  // Copies the data that the process would leave if it ended now.
  const copy = await scratch();
  await cp(directory, copy, { recursive: true });
  const again = await openLocal(copy, { kinds: [], consumers }, { clock });
  onTestFinished(() => again.close());
  const third = held(again);
  await again.dispatcher.idle();
  expect(third.total).toBe(0);
  await hasten(again);
  await expect.poll(() => third.deliveries.map(({ attempt }) => attempt)).toEqual([3]);
});

test("a message that ends the process at every delivery dies alone: those that were under way beside it are handled", async () => {
  const clock = new SteppedClock();
  const definitions = { kinds: [], consumers: [worker({ concurrency: 16 })] };
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const handled = new Set<string>();
  /**
   * Delivers until a poison message arrives, then copies the data that a crash would leave; returns undefined once no
   * work is left.
   */
  async function lifeOn(directory: string): Promise<string | undefined> {
    const platform = await openLocal(directory, definitions, { clock, random, temporary: true });
    onTestFinished(() => platform.close());
    if (directory === first) await sendMany(platform, 16);
    const life = { over: false };
    platform.dispatcher.deliver(async ({ body }) => {
      if (body === "0") life.over = true;
      await clock.sleep(1_000);
      if (life.over) await new Promise(() => {});
      handled.add(body);
    });
    for (let seconds = 0; !life.over && seconds < 900; seconds++) await clock.advance(1_000);
    if (!life.over) {
      expect((await platform.dispatcher.dead()).map(({ body, attempts }) => [body, attempts])).toEqual([["0", 10]]);
      return undefined;
    }
    const left = await scratch();
    await cp(directory, left, { recursive: true });
    await platform.close();
    return left;
  }
  const first = await scratch();
  let lives = 0;
  for (let left: string | undefined = first; left !== undefined; left = await lifeOn(left)) lives++;
  expect(lives).toBe(11);
  expect(handled.size).toBe(15);
});

test("nothing ticks while nothing is due", async () => {
  const { platform, clock } = await openMessages([worker()]);
  platform.dispatcher.deliver(async () => {});
  await sendMany(platform, 3);
  await platform.dispatcher.idle();
  await clock.advance(policy.deadline);
  expect(clock.sleeping).toBe(0);
  await platform.messages.send(emails, { body: "1", delay: 1000 });
  await expect.poll(() => clock.sleeping).toBe(1);
});

test("a message that waits does not keep the process alive", async () => {
  const built = fileURLToPath(new URL("../../../../dist/platform/local/open.js", import.meta.url));
  const code = `const { openLocal } = await import(${JSON.stringify(built)});
    const definitions = { kinds: [], consumers: [${JSON.stringify(worker())}] };
    const { messages, dispatcher } = await openLocal(${JSON.stringify(await scratch())}, definitions);
    dispatcher.deliver(async () => {});
    await messages.send(${JSON.stringify(emails)}, { body: "1", delay: 3600000 });
    await dispatcher.idle();
    process.stdout.write("idle");`;
  const options = { encoding: "utf8", timeout: 240_000 } as const;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", code], options)).toBe("idle");
});

/** Opens messages in a store that can run out of space. */
function fillableMessages(clock: SteppedClock) {
  const database = openDatabase(":memory:");
  database.exec(messageTables);
  const store = { isFull: false };
  const exec = (sql: string): void => {
    if (store.isFull && sql === "COMMIT") throw new Error("database or disk is full");
    database.exec(sql);
  };
  const failing = { ...database, exec };
  const queue = new WriteQueue(failing, { onRollback: () => {} });
  return { store, messages: new LocalMessages(failing, queue, clock, [worker()]) };
}

test("what the store could not write down is written down when it can again", async () => {
  const clock = new SteppedClock();
  const { store, messages } = fillableMessages(clock);
  await messages.send(emails, { body: "0" });
  await messages.send(emails, { body: "1" });
  const handledBodies: string[] = [];
  messages.deliver(async ({ body, attempt }) => {
    store.isFull ||= handledBodies.length === 0;
    handledBodies.push(`${body} ${attempt}`);
    if (attempt === 1 && body === "0") throw new Error("no");
  });
  await clock.advance(policy.minBackoff * 2);
  expect(handledBodies).toEqual(["0 1", "1 1"]);
  store.isFull = false;
  await clock.advance(policy.minBackoff * 2);
  await messages.idle();
  expect(handledBodies).toEqual(["0 1", "1 1", "0 2"]);
  messages.close();
});

test("idle waits until the outcome of the last delivery is stored", async () => {
  const clock = new SteppedClock();
  const { store, messages } = fillableMessages(clock);
  await messages.send(emails, { body: "0" });
  let end = (): void => {};
  messages.deliver(() => new Promise<void>((resolve) => (end = resolve)));
  const events: string[] = [];
  const idle = messages.idle().then(() => events.push("idle"));
  await clock.advance(1);
  store.isFull = true;
  end();
  await clock.advance(policy.minBackoff);
  events.push("there is room");
  store.isFull = false;
  await clock.advance(policy.minBackoff);
  await idle;
  expect(events).toEqual(["there is room", "idle"]);
  messages.close();
});

test("a message that does not fit its type waits, uses no attempt, and is tried again by other code", async () => {
  const { platform } = await openMessages([worker({ maxAttempts: 5 })]);
  const attempts: string[] = [];
  const deliver =
    (takes: (body: string) => boolean) =>
    async ({ body, attempt }: Delivery): Promise<void> => {
      attempts.push(`${body} ${attempt}`);
      if (!takes(body)) throw new MisfitMessage("it does not fit");
    };
  const delivering = platform.dispatcher.deliver(deliver((body) => body !== "1"));
  await sendMany(platform, 3);
  await platform.dispatcher.idle({ all: true });
  expect(attempts.toSorted()).toEqual(["0 1", "1 1", "2 1"]);
  expect(await platform.dispatcher.dead()).toEqual([]);
  const waiting = (await platform.dispatcher.backlog()).filter(({ messages }) => messages > 0);
  expect(waiting).toMatchObject([{ destination: "queue:emails", messages: 1, retried: 0, misfit: true }]);
  await delivering.stop();
  platform.dispatcher.deliver(deliver(() => true));
  await platform.dispatcher.idle();
  expect(attempts.at(-1)).toBe("1 1");
  expect((await platform.dispatcher.backlog()).filter(({ messages }) => messages > 0)).toEqual([]);
});
