import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Platform } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import type { Destination } from "../messages.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { transact } from "../transact.ts";
import { PendingCalls } from "../pending-calls.ts";
import { Datastore } from "./entities/datastore.ts";
import { CloudEntities } from "./entities/entities.ts";
import { IndexRegistry } from "./entities/index-registry.ts";
import { Reads } from "./entities/reads.ts";
import type { SentMessage } from "./messages/sent-message.ts";
import { Outbox, type UnpostedMessage, type Sweeping } from "./outbox.ts";
import { onFake } from "./testing/fake.ts";

const emails = { kind: "queue", name: "emails" } as const;
const placed = { kind: "topic", name: "placed" } as const;
const item = { kind: "item", id: "x" };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Opens a store whose message carrier the test controls. */
async function openOutbox(post: (message: SentMessage) => Promise<void>) {
  const { cloud, place, fake, account } = await onFake(new SteppedClock());
  fake.grant(`serviceAccount:${account}`, "roles/datastore.user");
  const datastore = new Datastore(cloud, place);
  const outbox = new Outbox({ datastore, post });
  const kinds = new Map([["item", { kind: "item", properties: [], composites: [], indexed: new Map(), unique: [] }]]);
  const indexes = new IndexRegistry(datastore, kinds);
  const reads = new Reads({ datastore, kinds, indexes, fill: () => {}, cursorKey: async () => new Uint8Array(32) });
  const underWay = new PendingCalls();
  const entities = new CloudEntities({ datastore, reads, indexes, outbox, underWay });
  onTestFinished(() => underWay.close());
  const unposted: UnpostedMessage[] = [];
  const sweeping: Sweeping = { destinations: [emails, placed], tell: (left) => void unposted.push(left) };
  return {
    datastore,
    entities,
    outbox,
    unposted,
    sweeping,
    clock: cloud.clock as SteppedClock,
    platform: { entities, clock: cloud.clock },
  };
}

test("a transaction's messages are posted after it commits, and nothing is left", async () => {
  const posted: SentMessage[] = [];
  const { platform, outbox, sweeping, clock } = await openOutbox(async (message) => void posted.push(message));
  await transact(platform, async (transaction) => {
    transaction.upsert(item, { a: 1 });
    transaction.send(emails, { body: '"1"', delay: 5000 }, "one");
  });
  const sentAt = new Date(clock.now());
  expect(posted).toEqual([
    { id: "one", destination: emails, body: '"1"', sent: sentAt, due: new Date(sentAt.getTime() + 5000) },
  ]);
  await clock.advance(60_000);
  expect(await outbox.sweep(sweeping)).toBe(0);
});

test("a transaction that does not commit sends nothing", async () => {
  const posted: SentMessage[] = [];
  const { entities, outbox, sweeping, clock } = await openOutbox(async (message) => void posted.push(message));
  await entities.insert(item, {});
  const transaction = await entities.begin();
  transaction.insert(item, {});
  transaction.send(emails, { body: "1" });
  await expect(transaction.commit()).rejects.toThrow("already exists");
  await clock.advance(60_000);
  expect([await outbox.sweep(sweeping), posted]).toEqual([0, []]);
});

test("a message that its carrier would refuse is refused when it is sent", async () => {
  const { entities } = await openOutbox(async () => {});
  const transaction = await entities.begin();
  expect(() => transaction.send(placed, { body: "1", delay: 1000 })).toThrow("only queues can delay messages");
  expect(transaction.send(emails, { body: "1", delay: 1000 }, "one")).toBe("one");
});

test("a message that was posted and could not be deleted is posted again by the sweep", async () => {
  const posted: SentMessage[] = [];
  const { platform, outbox, sweeping, clock, datastore } = await openOutbox(
    async (message) => void posted.push(message),
  );
  const remove = datastore.delete.bind(datastore);
  datastore.delete = () => Promise.reject(new Error("down"));
  await transact(platform, async (transaction) => {
    transaction.upsert(item, { a: 1 });
    transaction.send(emails, { body: "1" }, "one");
  });
  datastore.delete = remove;
  await clock.advance(60_000);
  expect(await outbox.sweep(sweeping)).toBe(1);
  expect(posted.map(({ id }) => id)).toEqual(["one", "one"]);
  expect(await outbox.sweep(sweeping)).toBe(0);
});

test("a message that could not be posted is posted by the sweep, with its id and times", async () => {
  const posted: SentMessage[] = [];
  let isDown = true;
  const { platform, outbox, sweeping, clock, entities } = await openOutbox(async (message) => {
    if (isDown) throw new Error("down");
    posted.push(message);
  });
  const sentAt = new Date(clock.now());
  await transact(platform, async (transaction) => {
    transaction.upsert(item, { a: 1 });
    transaction.send(emails, { body: "1" }, "one");
  });
  expect((await entities.get(item))?.fields).toEqual({ a: 1 });
  isDown = false;
  expect(await outbox.sweep(sweeping)).toBe(0);
  await clock.advance(30_000);
  expect(await outbox.sweep(sweeping)).toBe(1);
  expect(posted).toEqual([{ id: "one", destination: emails, body: "1", sent: sentAt, due: sentAt }]);
  expect(await outbox.sweep(sweeping)).toBe(0);
});

/** Sends messages with the given destinations and ids in one transaction. */
async function send(
  platform: Pick<Platform, "entities" | "clock">,
  ...sentAt: readonly (readonly [Destination, string])[]
) {
  await transact(platform, async (transaction) => {
    transaction.upsert(item, {});
    for (const [destination, id] of sentAt) transaction.send(destination, { body: "1" }, id);
  });
}

test("messages that cannot be posted hold up neither those of other destinations nor those that come after them", async () => {
  const posted: string[] = [];
  let isDown = true;
  const { platform, outbox, sweeping, unposted, clock } = await openOutbox(async ({ id }) => {
    if (isDown || id.startsWith("poison")) throw new Error("down");
    posted.push(id);
  });
  for (let n = 0; n < 3; n++)
    await send(platform, ...Array.from({ length: 50 }, (_, i) => [emails, `poison ${n * 50 + i}`] as const));
  await clock.advance(1_000);
  await send(platform, [emails, "mail"], [placed, "order"]);
  isDown = false;
  await clock.advance(30_000);
  expect(await outbox.sweep(sweeping)).toBe(2);
  expect(posted.toSorted()).toEqual(["mail", "order"]);
  expect(unposted).toHaveLength(150);
  // A failed message is retried after one minute, then after two.
  unposted.length = 0;
  for (const minutes of [1, 1, 1, 1]) {
    await clock.advance(minutes * 60_000);
    await outbox.sweep(sweeping);
  }
  expect(unposted.filter(({ id }) => id === "poison 0")).toHaveLength(2);
});

test("a destination that the service may not send to is left to those who may", async () => {
  const refusals: string[] = [];
  const { platform, outbox, sweeping, unposted, clock } = await openOutbox(async ({ id }) => {
    refusals.push(id);
    throw new PlatformError("denied", "403");
  });
  await send(platform, [emails, "one"]);
  await clock.advance(30_000);
  await outbox.sweep(sweeping);
  await outbox.sweep(sweeping);
  expect([refusals, unposted.length]).toEqual([["one", "one"], 1]);
  // The service has the permission by now.
  await clock.advance(600_000);
  await outbox.sweep(sweeping);
  expect(refusals).toHaveLength(3);
});

test("a message that the service may not send is due at once for a service that may", async () => {
  const { platform, outbox, sweeping, clock, datastore } = await openOutbox(async () => {
    throw new PlatformError("denied", "403");
  });
  await send(platform, [emails, "one"], [emails, "two"]);
  await clock.advance(30_000);
  await outbox.sweep(sweeping);
  const messages: string[] = [];
  const other = new Outbox({ datastore, post: async ({ id }) => void messages.push(id) });
  expect(await other.sweep(sweeping)).toBe(2);
  expect(messages.toSorted()).toEqual(["one", "two"]);
});

test("a message that cannot be posted is tried again after pauses that double up to an hour", async () => {
  const attempts: number[] = [];
  const { platform, outbox, sweeping, clock } = await openOutbox(async () => {
    attempts.push(clock.now());
    throw new Error("down");
  });
  await send(platform, [emails, "one"]);
  await clock.advance(30_000);
  await outbox.sweep(sweeping);
  for (let minute = 0; minute < 190; minute++) {
    await clock.advance(60_000);
    await outbox.sweep(sweeping);
  }
  const minutes = attempts.slice(1).map((at, i) => (at - (attempts[i] ?? 0)) / 60_000);
  expect(minutes).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test("what was left behind is posted when a process begins, and while it runs", async () => {
  const posted: string[] = [];
  let isDown = true;
  const { platform, outbox, sweeping, clock } = await openOutbox(async ({ id }) => {
    if (isDown) throw new Error("down");
    posted.push(id);
  });
  await send(platform, [emails, "before"]);
  await clock.advance(30_000);
  isDown = false;
  outbox.watch(sweeping);
  onTestFinished(() => outbox.close());
  await expect.poll(() => [posted, clock.sleeping]).toEqual([["before"], 1]);
  isDown = true;
  await send(platform, [emails, "during"]);
  isDown = false;
  await clock.advance(90_000);
  await expect.poll(() => posted).toEqual(["before", "during"]);
  await expect.poll(() => clock.sleeping).toBe(1);
  await outbox.close();
  expect(clock.sleeping).toBe(0);
});

test("a sweep posts eight messages at a time", async () => {
  let isDown = true;
  let concurrent = 0;
  let most = 0;
  const { platform, outbox, sweeping, clock } = await openOutbox(async () => {
    if (isDown) throw new Error("down");
    most = Math.max(most, (concurrent += 1));
    await new Promise(setImmediate);
    concurrent -= 1;
  });
  await send(platform, ...Array.from({ length: 20 }, (_, i) => [emails, `${i}`] as const));
  isDown = false;
  await clock.advance(30_000);
  expect(await outbox.sweep(sweeping)).toBe(20);
  expect(most).toBe(8);
});

test("a sweep asks once for each destination that has fewer than 100 messages", async () => {
  const { outbox, sweeping, datastore } = await openOutbox(async () => {});
  const query = vi.spyOn(datastore, "query");
  expect(await outbox.sweep(sweeping)).toBe(0);
  expect(query).toHaveBeenCalledTimes(sweeping.destinations.length);
});

test("a sweep posts at most ten times 100 messages of a destination", async () => {
  const { outbox, datastore, unposted } = await openOutbox(async () => {});
  const text = (stringValue: string) => ({ stringValue });
  const properties = { id: text("one"), kind: text("queue"), name: text("emails"), body: text("1") };
  const query = vi.spyOn(datastore, "query");
  query.mockImplementation(async () => {
    const count = query.mock.calls.length > 12 ? 0 : 100;
    return { entityResults: Array.from({ length: count }, () => ({ entity: { properties } })) };
  });
  expect(await outbox.sweep({ destinations: [emails], tell: (left) => void unposted.push(left) })).toBe(1000);
  expect(query).toHaveBeenCalledTimes(10);
  expect(query.mock.calls[0]?.[0]).toMatchObject({ limit: 100 });
});

test("a sweep that is closed asks for no more messages", async () => {
  const { platform, outbox, sweeping, clock, datastore } = await openOutbox(async () => {
    throw new Error("down");
  });
  await send(platform, [emails, "one"]);
  await clock.advance(30_000);
  await outbox.close();
  const query = vi.spyOn(datastore, "query");
  expect(await outbox.sweep(sweeping)).toBe(0);
  expect(query).not.toHaveBeenCalled();
});

/** Creates a promise that resolves when the test calls `open`. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { opened: promise, open };
}

test.each([
  ["deleted what it posted", "delete", "order"],
  ["put back what it could not post", "commit", "poison"],
] as const)("a sweep ends after it has %s", async (_what, operation, message) => {
  const events: string[] = [];
  const answer = gate();
  let isDown = true;
  const { platform, outbox, sweeping, clock, datastore } = await openOutbox(async ({ id }) => {
    if (isDown || id === "poison") throw new Error("down");
  });
  await send(platform, [emails, message]);
  isDown = false;
  await clock.advance(30_000);
  vi.spyOn(datastore, operation).mockImplementation(async () => {
    events.push("begins");
    await answer.opened;
    events.push("ends");
  });
  const sweep = outbox.sweep(sweeping).then(() => events.push("sweep ends"));
  await expect.poll(() => events).toContain("begins");
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  answer.open();
  await sweep;
  expect(events).toEqual(["begins", "ends", "sweep ends"]);
});

test("an outbox is closed once its sweep has ended", async () => {
  const answer = gate();
  let isDown = true;
  const events: string[] = [];
  const { platform, outbox, sweeping, clock } = await openOutbox(async () => {
    if (isDown) throw new Error("down");
    events.push("posting");
    await answer.opened;
    events.push("posted");
  });
  await send(platform, [emails, "one"]);
  isDown = false;
  await clock.advance(30_000);
  outbox.watch(sweeping);
  await expect.poll(() => events).toEqual(["posting"]);
  const closing = outbox.close().then(() => events.push("closed"));
  await new Promise(setImmediate);
  answer.open();
  await closing;
  expect(events).toEqual(["posting", "posted", "closed"]);
});

test.each([
  [0, 45_000],
  [0.5, 60_000],
  [1, 75_000],
])("sweeps follow each other after 45 to 75 seconds: with %d", async (random, pause) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const { outbox, clock, datastore } = await openOutbox(async () => {});
  const query = vi.spyOn(datastore, "query").mockResolvedValue({});
  outbox.watch({ destinations: [emails], tell: () => {} });
  onTestFinished(() => outbox.close());
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(pause - 1);
  await expect.poll(() => clock.sleeping).toBe(1);
  expect(query).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  await expect.poll(() => query.mock.calls.length).toBe(2);
});
