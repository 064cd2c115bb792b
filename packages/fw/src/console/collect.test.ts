import { expect, test } from "vitest";
import { eventCollector } from "./collect.ts";
import type { CollectedNumbers } from "./collected.ts";
import { EventHub } from "./event-hub.ts";
import { TraceSampler } from "./sampling/trace-sampler.ts";

test("two pages that ask for events at the same time show each event once", async () => {
  const sampler = new TraceSampler(1);
  const request = {
    watchedAs: -1,
    requestId: "f".repeat(16),
    exchange: { method: "GET" },
    path: "/orders",
    route: "GET /orders",
    startedAt: 0,
    service: "shop",
    caller: undefined,
    parent: undefined,
    streams: false,
    foreignTrace: undefined,
    session: undefined,
  };
  const hub = new EventHub();
  const collect = eventCollector(hub, true);
  const post = async (_path: string, body: string) => {
    const { event } = JSON.parse(body) as CollectedNumbers;
    const news = { last: sampler.last, events: sampler.after(event), running: [], exchanges: [], lastExchange: 0 };
    return { status: 200, text: JSON.stringify({ ...news, load: { cpu: 0, memory: 0, delay: 0 } }) };
  };
  sampler.requestBegan(request);
  sampler.requestEnded(request, 3, 500);
  await Promise.all([1, 2, 3].map(() => collect([{ name: "shop", id: "shop 1", post }])));
  expect(hub.after(0).events).toMatchObject([{ kind: "request", path: "/orders" }]);
});
