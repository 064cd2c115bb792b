import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import type { WatchedRequest } from "../../runtime/hooks.ts";
import type { Span } from "../../runtime/observe/span.ts";
import { traceIdOf } from "../../runtime/observe/trace.ts";
import { TraceSampler } from "./trace-sampler.ts";

let next = 0;

function request(more: Partial<WatchedRequest> = {}): WatchedRequest {
  next += 1;
  return {
    watchedAs: -1,
    endpoint: undefined,
    requestId: next.toString(16).padStart(16, "f"),
    exchange: { method: "GET" },
    path: "/orders",
    route: "GET /orders",
    startedAt: performance.now(),
    streams: false,
    service: "shop",
    caller: undefined,
    parent: undefined,
    foreignTrace: undefined,
    session: undefined,
    ...more,
  };
}

function span(trace: string, more: Partial<Span> = {}): Span {
  return {
    kind: "client",
    name: "entity.list orders",
    attributes: {},
    trace: { id: trace, flags: "01" },
    id: "1234567890abcdef",
    parent: "fedcba0987654321",
    failed: false,
    startedAt: performance.now(),
    ms: 1,
    ...more,
  };
}

/** Reports a request with one step, and returns the kinds of the events that the sampler keeps. */
function keptOf(sampler: TraceSampler, of: WatchedRequest, ms: number, status: number): readonly string[] {
  const { last } = sampler;
  sampler.requestBegan(of);
  sampler.spanEnded(span(of.foreignTrace ?? traceIdOf(of.requestId)));
  sampler.requestEnded(of, ms, status);
  return sampler.after(last).map(({ kind }) => kind);
}

test("failed and slow requests stay with their steps, of the others the share", () => {
  const none = new TraceSampler({ share: 0, slow: 500 });
  expect(keptOf(none, request(), 3, 200)).toEqual([]);
  expect(keptOf(none, request(), 3, 404)).toEqual([]);
  expect(keptOf(none, request(), 3, 500)).toEqual(["request", "span"]);
  expect(keptOf(none, request(), 500, 200)).toEqual(["request", "span"]);
  expect(keptOf(new TraceSampler({ share: 1, slow: 500 }), request(), 3, 200)).toEqual(["span", "request"]);
  const half = (): TraceSampler => new TraceSampler({ share: 0.5, slow: 500 });
  const ids = Array.from({ length: 1_000 }, (_, i) => ((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(16, "0"));
  const kept = ids.filter((requestId) => keptOf(half(), request({ requestId }), 3, 200).length > 0);
  expect(kept.length).toBeGreaterThan(450);
  expect(kept.length).toBeLessThan(550);
});

test("during a load test, handlers of sampled requests and of 100 others a second are timed", () => {
  // Keep the filter's second from ending, however slow the machine is.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const timed = (share: number): number => {
    const sampler = new TraceSampler({ share, slow: 500 });
    const endpoint = { declaration: { handler: () => "answer" } };
    for (let i = 0; i < 150; i += 1) keptOf(sampler, request({ endpoint }), 3, 500);
    return sampler.after(0).filter((event) => event.kind === "request" && event.gate !== undefined).length;
  };
  expect([timed(0), timed(1)]).toEqual([100, 150]);
});

test.each([
  [0, "00000000", false],
  [0.25, "3fffffff", true],
  [0.25, "40000000", false],
  [0.3, "4ccccccc", true],
  [0.3, "4ccccccd", false],
  [0.5, "7fffffff", true],
  [0.5, "80000000", false],
  [0.7, "b3333333", true],
  [0.7, "b3333334", false],
  [1, "ffffffff", true],
])("of a share of %d, a trace whose id ends with %s is sampled: %s", (share, end, isSampled) => {
  const sampler = new TraceSampler({ share, slow: 500 });
  expect(keptOf(sampler, request({ requestId: `f0f0f0f0${end}` }), 3, 200).length > 0).toBe(isSampled);
  const foreignTrace = `0123456789abcdef01234567${end}`;
  expect(keptOf(sampler, request({ foreignTrace }), 3, 200).length > 0).toBe(isSampled);
});

test("under load, a process halves its share of traces, and doubles it again when the load falls", () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sampler = new TraceSampler({ share: 1, slow: 500 });
  const answerAll = (count: number): number => {
    const ids = Array.from({ length: count }, (_, i) => Math.floor((i / count) * 2 ** 32).toString(16));
    return ids.filter((id) => keptOf(sampler, request({ requestId: id.padStart(16, "0") }), 3, 200).length > 0).length;
  };
  expect(keptOf(sampler, request(), 3, 200)).toEqual(["span", "request"]);
  for (let second = 0; second < 12; second++) {
    answerAll(10_000);
    vi.advanceTimersByTime(1_000);
  }
  const count = answerAll(10_000);
  expect(count).toBeGreaterThan(20);
  expect(count).toBeLessThanOrEqual(100);
  // A failed request is always kept.
  expect(keptOf(sampler, request(), 3, 500)).toEqual(["request", "span"]);
  vi.advanceTimersByTime(20_000);
  expect(keptOf(sampler, request(), 3, 200)).toEqual(["span", "request"]);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test("deliveries count for the share, too", () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sampler = new TraceSampler({ share: 1, slow: 500 });
  const idOf = (i: number): string => (i * 100_000).toString(16).padStart(32, "0");
  for (let i = 0; i < 40_000; i++) sampler.spanEnded(span(idOf(i), { kind: "consumer" }));
  expect(sampler.last).toBeLessThan(2_000);
  expect(sampler.last).toBeGreaterThan(100);
});

test("a stream is not slow, however long its client stays", () => {
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  expect(keptOf(sampler, request({ streams: true }), 3_600_000, 200)).toEqual([]);
  expect(keptOf(sampler, request({ streams: true }), 3, 500)).toEqual(["request", "span"]);
});

test("during a load test, an ordinary request ends the wait of its own steps only", () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  for (let i = 0; i < 100; i++) keptOf(sampler, request(), 3, 200);
  const [slow, fast] = [request(), request()];
  sampler.requestBegan(slow);
  sampler.requestBegan(fast);
  sampler.spanEnded(span(traceIdOf(slow.requestId)));
  sampler.spanEnded(span(traceIdOf(fast.requestId)));
  sampler.requestEnded(fast, 3, 200);
  expect(sampler.running().map(({ id }) => id)).toEqual([slow.requestId]);
  sampler.requestEnded(slow, 600, 200);
  expect(sampler.after(0).map(({ kind }) => kind)).toEqual(["request", "span"]);
  sampler.keep(traceIdOf(fast.requestId));
  expect(sampler.last).toBe(2);
  // Without steps of other requests, too.
  expect(keptOf(sampler, request(), 3, 500)).toEqual(["request", "span"]);
  expect(sampler.running()).toEqual([]);
});

test("a called service keeps its part of a trace that its caller keeps", () => {
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  const foreignTrace = "f".repeat(32);
  expect(keptOf(sampler, request({ caller: "shop", foreignTrace }), 3, 200)).toEqual([]);
  sampler.keep(foreignTrace);
  expect(sampler.after(0).map(({ kind }) => kind)).toEqual(["span", "request"]);
  sampler.keep(foreignTrace);
  expect(sampler.last).toBe(2);
});

test("values and ids of documents are left out of steps", () => {
  const sampler = new TraceSampler({ share: 1, slow: 500 });
  const plan = {
    entity: { name: "people" },
    filters: [{ field: "email", operator: "==", value: "ann@example.com" }],
    orders: [],
  };
  sampler.spanEnded(span("f".repeat(32)), [[plan], [{ id: "ann", email: "ann@example.com" }]]);
  sampler.spanEnded(span("f".repeat(32)), [[{ kind: "entity", name: "people" }, "ann"], { id: "ann" }]);
  const text = JSON.stringify(sampler.after(0));
  expect(text).toContain('"field":"email","operator":"==","value":"?"');
  expect(text).not.toContain("ann");
});

test("ids and tokens in paths are left out of requests", () => {
  const sampler = new TraceSampler({ share: 1, slow: 500 });
  const invitation = { path: "/invitations/secret", route: "GET /invitations/{token}" };
  sampler.requestBegan(request(invitation));
  expect(sampler.running()).toMatchObject([{ path: "/invitations/{token}" }]);
  keptOf(sampler, request(invitation), 3, 200);
  keptOf(sampler, request({ path: "/orders", route: "GET /orders" }), 3, 200);
  const called = new TraceSampler({ share: 0, slow: 500 });
  keptOf(called, request({ ...invitation, caller: "shop", foreignTrace: "f".repeat(32) }), 3, 200);
  called.keep("f".repeat(32));
  keptOf(sampler, request({ path: "/lost/secret", route: "<unmatched>" }), 3, 404);
  keptOf(sampler, request({ path: "/admin/secret", route: "ANY /admin" }), 3, 200);
  const text = JSON.stringify([sampler.after(0), called.after(0)]);
  expect(text).toContain('"/admin"');
  expect(text).toContain('"/orders"');
  expect(text).not.toContain("secret");
});

test("a failed delivery stays without a request, and steps that wait for their request are bounded", () => {
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  sampler.spanEnded(span("a".repeat(32)));
  for (let i = 0; i < 5_000; i++) sampler.spanEnded(span(i.toString(16).padStart(32, "b")));
  sampler.spanEnded(span("a".repeat(32), { kind: "consumer", failed: true }));
  expect(sampler.after(0)).toMatchObject([{ kind: "span", failed: true }]);
});

test("steps with long names that wait for their request take no more memory than the bound", () => {
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  const first = "a".repeat(32);
  sampler.spanEnded(span(first));
  for (let i = 0; i < 100; i++)
    sampler.spanEnded(span(i.toString(16).padStart(32, "b"), { name: `entity.get ${"x".repeat(50_000)}` }));
  sampler.keep(first);
  expect(sampler.last).toBe(0);
  sampler.keep((99).toString(16).padStart(32, "b"));
  expect(sampler.last).toBe(1);
});

test("requests with long paths take no more memory than the bound", () => {
  const sampler = new TraceSampler({ share: 0, slow: 500 });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  // Copies of a repeated string would share its memory.
  for (let i = 0; i < 4_000; i++)
    keptOf(sampler, request({ path: Buffer.alloc(15_000, `/${i}`).toString("latin1") }), 3, 500);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15_000_000);
  expect(sampler.last).toBe(8_000);
});
