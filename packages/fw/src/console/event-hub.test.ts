import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import type { WatchedRequest } from "../runtime/hooks.ts";
import { EventHub, type LogEvent } from "./event-hub.ts";
import { RecordedBody } from "./recording/recorded-body.ts";
import { RecordedExchange } from "./recording/recorded-exchange.ts";

const line = (message: string): LogEvent => ({
  kind: "log",
  at: 0,
  severity: "INFO",
  service: "shop",
  message,
  fields: {},
});

test("the newest long lines stay, up to a bound of bytes", () => {
  const hub = new EventHub();
  for (let i = 0; i < 3_000; i += 1) hub.add(line(`${i} ${"x".repeat(100_000)}`));
  const { last, events } = hub.after(0);
  expect(last).toBe(3_000);
  expect(events.length).toBeLessThanOrEqual(160);
  expect(events.at(-1)).toMatchObject({ message: expect.stringMatching(/^2999 /) });
  expect(hub.after(2_999).events).toEqual([events.at(-1)]);
});

test("short lines are kept up to a number, and one that is longer than the bound alone", () => {
  const hub = new EventHub();
  for (let i = 0; i < 25_000; i += 1) hub.add(line(String(i)));
  expect(hub.after(0).events.length).toBe(10_000);
  hub.add(line("x".repeat(40_000_000)));
  expect(hub.after(0).events.length).toBe(1);
  expect(hub.after(25_000).events.length).toBe(1);
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** The console's limit applies to 20,000 requests, which FW_TRIES=10 records. */
const manyRequests = tries(2_000);

test("many requests with bodies of 100 kB stay within 200 MB, and the newest are there", () => {
  const hub = new EventHub();
  const body = Buffer.alloc(100_000, "x");
  collectGarbage();
  const before = process.memoryUsage();
  for (let i = 0; i < manyRequests; i += 1) {
    const requestBody = new RecordedBody();
    requestBody.add(body);
    const exchange = new RecordedExchange({
      target: `/orders/${i}`,
      requestHeaders: ["Accept", "text/html"],
      requestBody,
      responseHeaders: ["Content-Type", "text/plain", "X-Request-Id", String(i)],
    });
    exchange.addToResponse(body.toString("latin1"), "latin1");
    hub.addExchange(exchange);
    // Copies of a repeated string would share its memory.
    hub.add(line(Buffer.alloc(100_000, `${i} `).toString("latin1")));
  }
  collectGarbage();
  const after = process.memoryUsage();
  const grown = (kind: "heapUsed" | "arrayBuffers"): number => after[kind] - before[kind];
  expect(hub.exchange(String(manyRequests - 1))?.requestBody).toMatchObject({ bytes: 100_000, isCut: true });
  expect(hub.exchange(String(manyRequests - 400))?.target).toBe(`/orders/${manyRequests - 400}`);
  expect(hub.exchange("0")).toBeUndefined();
  expect(grown("heapUsed") + grown("arrayBuffers")).toBeLessThan(200_000_000);
});

test("during a load test, 1,000 requests a second become events, and each that failed or was slow", () => {
  // Fake timers keep the second from ending, however slow the machine is.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const hub = new EventHub();
  const request = (id: string): WatchedRequest => ({
    watchedAs: -1,
    endpoint: undefined,
    requestId: id,
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
  });
  const end = (id: string, ms: number, status: number): void => {
    const ended = request(id);
    hub.requestBegan(ended);
    hub.requestEnded(ended, ms, status);
  };
  for (let i = 0; i < 5_000; i += 1) end(String(i), 1, 200);
  end("failed", 1, 404);
  end("slow", 900, 200);
  end("one more", 1, 200);
  const { events, running } = hub.after(0);
  expect(running).toEqual([]);
  expect(events).toHaveLength(1_002);
  expect(events.slice(-3).map((event) => event.kind === "request" && event.id)).toEqual(["999", "failed", "slow"]);
});
