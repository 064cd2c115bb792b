import { expect, test } from "vitest";
import { jsonBytes } from "../lib/limits.ts";
import { eventCollector } from "./collect.ts";
import type { CollectedNumbers } from "./collected.ts";
import { EventHub } from "./event-hub.ts";
import { TraceSampler } from "./sampling/trace-sampler.ts";

test("two pages that ask for events at the same time show each event once", async () => {
  const sampler = new TraceSampler({ share: 1, slow: 500 });
  const request = {
    watchedAs: -1,
    endpoint: undefined,
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
    const news = {
      last: sampler.last,
      events: sampler.after(event),
      running: [],
      exchanges: [],
      lastExchange: 0,
      totals: [],
    };
    return { status: 200, text: JSON.stringify({ ...news, load: { cpu: 0, memory: 0, delay: 0 } }) };
  };
  sampler.requestBegan(request);
  sampler.requestEnded(request, 3, 500);
  await Promise.all([1, 2, 3].map(() => collect([{ name: "shop", id: "shop 1", post }])));
  expect(hub.after(0).events).toMatchObject([{ kind: "request", path: "/orders" }]);
});

test("many traces are named in several calls, each small enough for a body of JSON", async () => {
  const traces = Array.from({ length: 25_000 }, (_, i) => i.toString(16).padStart(32, "0"));
  const requestedTraces: string[] = [];
  const bodies: number[] = [];
  const post = async (_path: string, body: string) => {
    const { traces: ids = [] } = JSON.parse(body) as CollectedNumbers;
    requestedTraces.push(...ids);
    bodies.push(body.length);
    const events =
      bodies.length > 2 ? [] : traces.map((trace) => ({ kind: "span", name: "entity.get orders", trace, at: 0 }));
    const news = { last: 1, events, running: [], exchanges: [], lastExchange: 0, totals: [] };
    return { status: 200, text: JSON.stringify({ ...news, load: { cpu: 0, memory: 0, delay: 0 } }) };
  };
  const collect = eventCollector(new EventHub(), true);
  await collect([1, 2].map((i) => ({ name: "shop", id: `shop ${i}`, post })));
  expect(new Set(requestedTraces)).toEqual(new Set(traces));
  expect(Math.max(...bodies)).toBeLessThan(jsonBytes);
});
