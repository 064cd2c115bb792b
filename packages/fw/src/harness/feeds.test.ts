import { expect, onTestFinished, test } from "vitest";
import { Feed, type FeedEvent } from "../declare/feed.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";

const tickets = Feed<{ n: number }>("tickets");
const bundle: Bundle = { ...bundleOf([]), keepsData: true, feeds: [{ declaration: tickets, name: "tickets" }] };
const newTestApp = testApps(async () => ({ default: bundle }));

async function take<T>(source: AsyncIterable<FeedEvent<T>>, count: number): Promise<FeedEvent<T>[]> {
  const taken: FeedEvent<T>[] = [];
  for await (const each of source) if (taken.push(each) === count) break;
  return taken;
}

test("a client that comes back to a feed gets what it missed, and learns what is no longer kept", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  for (let n = 1; n <= 5; n++) await tickets.publish(ctx, "a", { n });
  const all = await take(tickets.events(ctx, "a", { after: "0" }), 5);
  expect(all.map(({ data, hasGap }) => [data.n, hasGap])).toEqual([
    [1, true],
    [2, false],
    [3, false],
    [4, false],
    [5, false],
  ]);
  const [, , third] = all;
  const rest = await take(tickets.events(ctx, "a", { after: third?.id }), 2);
  expect(rest.map(({ data, hasGap }) => [data.n, hasGap])).toEqual([
    [4, false],
    [5, false],
  ]);
  for (let n = 6; n <= 110; n++) await tickets.publish(ctx, "a", { n });
  const [oldest] = await take(tickets.events(ctx, "a", { after: third?.id }), 1);
  expect([oldest?.data.n, oldest?.hasGap]).toEqual([11, true]);
});

test("keys that differ in half of a surrogate pair are different keys", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const keys = ["\ud83d", "\ud83e", "\ufffd"];
  for (const [n, key] of keys.entries()) await tickets.publish(ctx, key, { n });
  for (const [n, key] of keys.entries()) {
    await tickets.publish(ctx, key, { n: 9 });
    const events = await take(tickets.events(ctx, key, { after: "0" }), 2);
    expect(events.map(({ data }) => data.n)).toEqual([n, 9]);
  }
});

test("a forged id of an event reaches no other key, and at worst repeats what is stored", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  await tickets.publish(ctx, "other", { n: 0 });
  for (const n of [1, 2]) await tickets.publish(ctx, "a", { n });
  const [, last] = await take(tickets.events(ctx, "a", { after: "0" }), 2);
  const [epoch = ""] = last?.id.split(".") ?? [];
  const forged = [
    "",
    ".",
    "x",
    "0.1",
    `${epoch}.0`,
    `${epoch}.-1`,
    `${epoch}.1e9`,
    `zzzzzzzz.1`,
    "__proto__.1",
    `${epoch}.1\n2`,
  ];
  for (const after of [...forged, "9".repeat(100_000), `${"z".repeat(17)}.1`]) {
    const events = await take(tickets.events(ctx, "a", { after }), 2);
    expect([after.slice(0, 40), events.map(({ data, hasGap }) => [data.n, hasGap])]).toEqual([
      after.slice(0, 40),
      [
        [1, true],
        [2, false],
      ],
    ]);
  }
});

test("hostile keys and names are keys and names like others", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const keys = [
    "a",
    "a\0",
    "\0a",
    "a/b",
    "tickets\0a",
    "__proto__",
    "constructor",
    "",
    "x".repeat(100_000),
    "a\r\nid: 1",
  ];
  for (const [n, key] of keys.entries()) await tickets.publish(ctx, key, { n });
  for (const [n, key] of keys.entries()) {
    const [only] = await take(tickets.events(ctx, key, { after: "0" }), 1);
    expect(only?.data).toEqual({ n });
    expect(await tickets.presence(ctx, key)).toEqual([]);
  }
  const names = ["__proto__", 'a\r\ndata: ["eve"]', "<b>", ""].toSorted();
  const members = names.map((name) => tickets.followPresence(ctx, "a", name)[Symbol.asyncIterator]());
  for (const member of members) await member.next();
  expect(await tickets.presence(ctx, "a")).toEqual(names);
  for (const member of members) await member.return?.();
});

test("publications to one key at once have one order for all clients, and none is lost", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  const clients = [1, 2, 3].map(() => take(tickets.events(ctx, "a", { after: "0" }), numbers.length));
  await Promise.all(numbers.map((n) => tickets.publish(ctx, "a", { n })));
  const [first = [], ...others] = (await Promise.all(clients)).map((events) => events.map(({ data }) => data.n));
  expect(first.toSorted((a, b) => a - b)).toEqual(numbers);
  for (const each of others) expect(each).toEqual(first);
});

test("presence lists the names that follow a key, each once, until the last of its clients leaves", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const [ada, again, bo] = ["ada", "ada", "bo"].map((name) =>
    tickets.join(ctx, "a", name, { after: "0" })[Symbol.asyncIterator](),
  );
  await tickets.publish(ctx, "a", { n: 1 });
  for (const client of [ada, again, bo]) expect((await client?.next())?.value.data).toEqual({ n: 1 });
  expect(await tickets.presence(ctx, "a")).toEqual(["ada", "bo"]);
  expect(await tickets.presence(ctx, "b")).toEqual([]);
  await bo?.return?.();
  await ada?.return?.();
  expect(await tickets.presence(ctx, "a")).toEqual(["ada"]);
  await app.clock.advance("5m");
  expect(await tickets.presence(ctx, "a")).toEqual(["ada"]);
  await again?.return?.();
  expect(await tickets.presence(ctx, "a")).toEqual([]);
});

test("a client that follows who is present gets the names at each change, and is listed if it has a name", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const ada = tickets.followPresence(ctx, "a", "ada")[Symbol.asyncIterator]();
  const guest = tickets.followPresence(ctx, "a")[Symbol.asyncIterator]();
  expect([(await ada.next()).value, (await guest.next()).value]).toEqual([["ada"], ["ada"]]);
  const other = tickets.join(ctx, "b", "eve")[Symbol.asyncIterator]();
  void other.next();
  const bo = tickets.join(ctx, "a", "bo")[Symbol.asyncIterator]();
  void bo.next();
  expect([(await ada.next()).value, (await guest.next()).value]).toEqual([
    ["ada", "bo"],
    ["ada", "bo"],
  ]);
  await ada.return?.();
  expect((await guest.next()).value).toEqual(["bo"]);
  await app.clock.advance("5m");
  expect(await tickets.presence(ctx, "a")).toEqual(["bo"]);
  await guest.return?.();
});

test("a client that joins and then publishes gets its own event, and is present by then", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const member = tickets.join(ctx, "a", "ada")[Symbol.asyncIterator]();
  const own = member.next();
  await tickets.publish(ctx, "a", { n: 1 });
  expect(await tickets.presence(ctx, "a")).toEqual(["ada"]);
  expect((await own).value.data).toEqual({ n: 1 });
  await member.return?.();
});

test("a client that reads nothing delays no other client of the key", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  const stalled = tickets.events(ctx, "a", { after: "0" })[Symbol.asyncIterator]();
  await tickets.publish(ctx, "a", { n: 0 });
  expect((await stalled.next()).value.data).toEqual({ n: 0 });
  const reading = take(tickets.events(ctx, "a", { after: "0" }), 150);
  for (let n = 1; n < 150; n++) await tickets.publish(ctx, "a", { n });
  const read = (await reading).map(({ data }) => data.n);
  expect(read).toEqual(read.map((_, n) => n));
  const late = (await stalled.next()).value;
  expect([late.data.n, late.hasGap]).toEqual([50, true]);
  await stalled.return?.();
});

test("publications and followers of one request, however many, are no leak of listeners", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): unknown => warnings.push(name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  await using app = await newTestApp();
  const ctx = app.ctx();
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  const clients = numbers.map(() => take(tickets.events(ctx, "a", { after: "0" }), 1));
  await Promise.all(numbers.map((n) => tickets.publish(ctx, "a", { n })));
  await Promise.all(clients);
  expect(warnings).toEqual([]);
});
