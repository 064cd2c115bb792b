import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CallSigner } from "../platform/call-signer.ts";
import { newCallKeys } from "../platform/calls.ts";
import { deferred } from "../runtime/testing/deferred.ts";
import { exchange, parseAnswer } from "../runtime/testing/server.ts";
import { PlatformCaller, ServiceDown } from "./deliveries.ts";
import { Forwarder } from "./forward.ts";
import type { Forwards } from "./forwarding.ts";
import { openFront } from "./front.ts";
import type { ListeningPool } from "./listening.ts";
import { RelayForwarder } from "./relay-forwarder.ts";

// The number in docs/limits.md, not the constant: a test that imports the constant would accept any change.
const restartMs = 10_000;

/** Creates the pool of a service that crashes on every start. `waiting` resolves when something waits for it. */
function crashing() {
  const waiting = deferred<void>();
  const pool: ListeningPool = {
    get ready() {
      waiting.resolve();
      return new Promise<void>(() => {});
    },
    hasFailed: false,
    use: (work) => work(0, 0),
  };
  return { poolOf: () => pool, waiting: waiting.promise };
}

type Crashing = ReturnType<typeof crashing>;

const unavailable = (service: string): string => `the service ${service} does not run`;
const forwarders: Readonly<Record<string, (poolOf: Crashing["poolOf"]) => Forwards>> = {
  "another machine": (poolOf) => new Forwarder({ poolOf, unavailable, signature: () => ["X-Fw-Forwarded", ""] }),
  "this machine": (poolOf) => new RelayForwarder({ poolOf, unavailable, tokenFor: () => "" }),
};

describe.each(Object.entries(forwarders))(
  "a request to a service of %s that crashes at each start",
  (_, forwarderTo) => {
    async function frontOf(poolOf: Crashing["poolOf"]) {
      const forwarder = forwarderTo(poolOf);
      const end = deferred<void>();
      const front = await openFront({
        listens: { port: 0, host: "127.0.0.1" },
        log: () => {},
        targetOf: () => ({ service: "orders" }),
        forwarder: {
          forward: async (request, to) => {
            await forwarder.forward(request, to);
            end.resolve();
          },
          close: () => forwarder.close(),
        },
      });
      onTestFinished(() => front.close());
      return { port: front.port, forwarded: end.promise };
    }

    test("gets a 503 when its wait is over", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const { poolOf, waiting } = crashing();
      const { port } = await frontOf(poolOf);
      const answer = exchange(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await waiting;
      vi.advanceTimersByTime(restartMs);
      expect(parseAnswer(await answer)).toMatchObject({
        status: 503,
        body: expect.stringContaining("the service orders does not run"),
      });
    });

    test("waits no longer than its client", async () => {
      const { poolOf, waiting } = crashing();
      const { port, forwarded } = await frontOf(poolOf);
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
      await waiting;
      client.destroy();
      await forwarded;
    });
  },
);

describe("a call of the platform to a service that crashes at each start", () => {
  function callerOf(poolOf: Crashing["poolOf"]) {
    const stopping = new AbortController();
    const signer = new CallSigner("platform", newCallKeys().privateKey);
    return { stopping, caller: new PlatformCaller({ signer, poolOf, stopping: stopping.signal }) };
  }

  test("fails when its wait is over, or at once", async () => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      expect(milliseconds).toBe(restartMs);
      return AbortSignal.abort();
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { caller } = callerOf(crashing().poolOf);
    await expect(caller.post("orders", "api/cron/sweep", "")).rejects.toThrow(ServiceDown);
    vi.restoreAllMocks();
    await expect(caller.post("orders", "api/cron/sweep", "", { waits: false })).rejects.toThrow(ServiceDown);
  });

  test("fails when the machine stops", async () => {
    const { poolOf, waiting } = crashing();
    const { caller, stopping } = callerOf(poolOf);
    const post = caller.post("orders", "api/cron/sweep", "");
    await waiting;
    stopping.abort();
    await expect(post).rejects.toThrow(ServiceDown);
  });

  test("of a message fails with its deadline", async () => {
    const { poolOf, waiting } = crashing();
    const deadline = new AbortController();
    const push = callerOf(poolOf).caller.push({
      id: "1",
      consumer: "pack",
      destination: { kind: "queue", name: "orders" },
      attempt: 1,
      body: "{}",
      sent: new Date(),
      traceparent: undefined,
      signal: deadline.signal,
    });
    await waiting;
    deadline.abort();
    await expect(push).rejects.toThrow(ServiceDown);
  });
});
