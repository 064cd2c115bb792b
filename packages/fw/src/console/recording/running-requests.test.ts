import { expect, test } from "vitest";
import type { WatchedEndpoint, WatchedRequest } from "../../runtime/hooks.ts";
import { RunningRequests } from "./running-requests.ts";

let next = 0;

function request(endpoint: WatchedEndpoint): WatchedRequest {
  next += 1;
  return {
    watchedAs: -1,
    endpoint,
    requestId: next.toString(16).padStart(16, "f"),
    exchange: { method: "GET" },
    path: "/orders",
    route: "GET /orders",
    startedAt: performance.now() - 10,
    streams: false,
    service: "shop",
    caller: undefined,
    parent: undefined,
    foreignTrace: undefined,
    session: undefined,
  };
}

function answer(endpoint: WatchedEndpoint, { requestId }: WatchedRequest): unknown {
  return endpoint.declaration.handler({ requestId } as never, "input" as never, undefined as never);
}

function endpoint(): WatchedEndpoint {
  return { declaration: Object.freeze({ handler: (_ctx: unknown, input: string) => `answer to ${input}` }) };
}

test("the time before the handler ends when the request's own handler begins, not one that its policy calls", () => {
  const [running, own, other] = [new RunningRequests(), endpoint(), endpoint()];
  const [first, second] = [request(own), request(other)];
  running.add(second, true);
  expect(answer(other, second)).toBe("answer to input");
  running.add(first, true);
  answer(other, first);
  expect(running.all().map(({ gate }) => gate)).toEqual([expect.any(Number), undefined]);
  expect(answer(own, first)).toBe("answer to input");
  const gate = running.remove(first, 12);
  expect(gate).toBeGreaterThanOrEqual(10);
  expect(gate).toBeLessThan(1_000);
  answer(own, first);
  expect(running.all()).toHaveLength(1);
});

test("all the time of a refused request passes before its handler", () => {
  const [running, own] = [new RunningRequests(), endpoint()];
  const refusedRequest = request(own);
  running.add(refusedRequest, true);
  expect(running.remove(refusedRequest, 12)).toBe(12);
});

test("a request that is not timed or was never added has no time before its handler", () => {
  const [running, own] = [new RunningRequests(), endpoint()];
  const [timed, untimed, foreign] = [request(own), request(own), request(own)];
  running.add(timed, true);
  running.add(untimed, false);
  answer(own, untimed);
  expect(running.remove(untimed, 12)).toBeNaN();
  expect(running.remove(foreign, 12)).toBeNaN();
});

test("a request that is not timed is among the running ones until it ends, in any order", () => {
  const [running, own] = [new RunningRequests(), endpoint()];
  const requests = Array.from({ length: 6 }, () => request(own));
  const ids = (): readonly string[] =>
    running
      .all()
      .map(({ id }) => id)
      .toSorted();
  for (const [i, each] of requests.entries()) running.add(each, i === 2);
  expect(ids()).toEqual(requests.map(({ requestId }) => requestId));
  // The newest, the oldest, the timed one, and one between them.
  for (const i of [5, 0, 2, 3]) running.remove(requests[i] as WatchedRequest, 12);
  const later = request(own);
  running.add(later, false);
  expect(ids()).toEqual([requests[1], requests[4], later].map((each) => each?.requestId));
  for (const each of [later, requests[4], requests[1]]) running.remove(each as WatchedRequest, 12);
  expect(running.all()).toEqual([]);
});

test("a request that ends before the next one begins takes no slot", () => {
  const [running, own] = [new RunningRequests(), endpoint()];
  const [first, second] = [request(own), request(own)];
  running.add(first, false);
  expect(running.removeNewest(first)).toBe(true);
  expect(running.removeNewest(first)).toBe(false);
  running.add(second, false);
  expect([first.watchedAs, second.watchedAs]).toEqual([-1, -1]);
  running.add(first, false);
  expect(running.removeNewest(second)).toBe(false);
  expect([first.watchedAs, second.watchedAs]).toEqual([-1, 0]);
});

test("of many requests that wait for their handlers at once, 100 are timed", () => {
  const [running, own] = [new RunningRequests(), endpoint()];
  const requests = Array.from({ length: 150 }, () => request(own));
  for (const each of requests) running.add(each, true);
  for (const each of requests.toReversed()) answer(own, each);
  const timed = requests.filter((each) => !Number.isNaN(running.remove(each, 12)));
  expect(timed).toEqual(requests.slice(0, 100));
  const next = request(own);
  running.add(next, true);
  expect(running.remove(next, 12)).toBe(12);
});
