import { expect, test } from "vitest";
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
