import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import { deferred } from "../runtime/testing/deferred.ts";
import { exchange, parseAnswer, type RawAnswer } from "../runtime/testing/server.ts";
import { frames, FrameWriter } from "../service/local/relay/frames.ts";
import { readResponseHead, writeResponseHead } from "../service/local/relay/heads.ts";
import { listenForFront } from "../service/local/relay/listen.ts";
import { openFront, type FrontOptions } from "./front.ts";
import type { ListeningPool } from "./listening.ts";
import { RelayForwarder } from "./relay-forwarder.ts";
import { openFakeService, type FakeService } from "./testing/fake-service.ts";

async function requested(request: string, options: Partial<FrontOptions> = {}): Promise<RawAnswer> {
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ status: 404, message: "asked" }),
    forwarder: forwarderTo(undefined),
    ...options,
  });
  try {
    return parseAnswer(await exchange(front.port, request));
  } finally {
    await front.close();
  }
}

function forwarderTo(relayPort: number | undefined): RelayForwarder {
  const pool: ListeningPool = {
    ready: Promise.resolve(),
    hasFailed: false,
    use: (work) => work(0, relayPort),
  };
  return new RelayForwarder({
    unavailable: (service) => `the service ${service} does not run`,
    poolOf: () => (relayPort === undefined ? undefined : pool),
    tokenFor: () => "token",
  });
}

function get(host: string): string {
  return `GET /orders HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

const okHead = writeResponseHead({ status: 200, isLast: false, encoding: "latin1", rawHeaders: [] });

describe("a service that cuts connections", () => {
  /**
   * Sends a request to a service that cuts the first connections, and counts the requests that the service has read.
   */
  async function askTwice(
    request: string,
    cuts: number,
  ): Promise<{ readonly status: number; readonly requests: number }> {
    let requests = 0;
    await using service = await openFakeService((id, writer, socket) => {
      if (requests++ < cuts) socket.resetAndDestroy();
      else writer.whole(frames.respond, id, okHead, "ok", "latin1");
    });
    const { status } = await answerOf(service, request);
    return { status, requests };
  }

  test("is asked again if it may have read a request that changes nothing", async () => {
    expect(await askTwice(get("a"), 1)).toEqual({ status: 200, requests: 2 });
  });

  test("is asked no third time", async () => {
    expect(await askTwice(get("a"), 9)).toEqual({ status: 502, requests: 2 });
  });

  test("is asked once if the request may change something", async () => {
    const post = get("a").replace("GET", "POST");
    expect(await askTwice(post, 1)).toEqual({ status: 502, requests: 1 });
  });
});

test("a request with a body that a stopping service refuses goes to the next process with its body", async () => {
  const bodies: string[] = [];
  let requests = 0;
  await using service = await openFakeService(
    (id, writer) => {
      if (requests++ === 0) setImmediate(() => writer.signal(frames.refuse, id));
    },
    (id, body, writer) => {
      bodies.push(body);
      if (requests > 1) writer.whole(frames.respond, id, okHead, body, "latin1");
    },
  );
  const post = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody";
  expect(await answerOf(service, post)).toMatchObject({ status: 200, body: "body" });
  expect(requests).toBe(2);
  expect(bodies.at(-1)).toBe("body");
});

function answerOf({ port }: FakeService, request: string): Promise<RawAnswer> {
  return requested(request, { targetOf: () => ({ service: "orders" }), forwarder: forwarderTo(port) });
}

test("the head of a response is sent before its body begins", async () => {
  const service = await listenForFront({
    handler: (each) => {
      each.begin(200, ["Content-Type", "text/event-stream"]);
      each.flush();
    },
    forwards: (token) => token === "token",
    acceptsUpgrades: false,
  });
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ service: "orders" }),
    forwarder: forwarderTo(service.port),
  });
  const client = connect(front.port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const received = await new Promise((resolve) => client.once("data", (bytes) => resolve(bytes.toString("latin1"))));
  expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  client.destroy();
  await front.close();
  await service.close();
});

test("a service answers nobody who does not prove to be the front", async () => {
  let requests = 0;
  const service = await listenForFront({
    handler: () => void requests++,
    forwards: (token) => token === "secret",
    acceptsUpgrades: false,
  });
  const stranger = connect(service.port, "127.0.0.1");
  const writer = new FrameWriter(stranger);
  writer.text(frames.hello, 0, "token");
  writer.text(frames.request, 1, "none\nGET\n/\n1.1\nHost\na");
  stranger.resume();
  await new Promise((resolve) => stranger.once("close", resolve));
  expect(requests).toBe(0);
  await service.close();
});

test.for([
  ["an upgrade", frames.takeOver, ""],
  ["a status below 100", frames.begin, writeResponseHead({ status: 99, isLast: false, encoding: "", rawHeaders: [] })],
  [
    "a header that is none",
    frames.begin,
    writeResponseHead({ status: 200, isLast: false, encoding: "", rawHeaders: ["a b", "c"] }),
  ],
] as const)(
  "a service that answers an ordinary request with %s is reported as a bad gateway",
  async ([, kind, head]) => {
    await using service = await openFakeService((id, writer) => writer.text(kind, id, head));
    expect(await answerOf(service, get("localhost"))).toMatchObject({ status: 502 });
  },
);

test("a response that cannot be sent fails alone: others on the connection continue", async () => {
  const heldResponse = deferred<() => void>();
  const targets: string[] = [];
  await using service = await openFakeService((id, writer, _socket, target) => {
    targets.push(target);
    if (target === "/held") heldResponse.resolve(() => writer.whole(frames.respond, id, okHead, "ok", "latin1"));
    else writer.text(frames.begin, id, writeResponseHead({ ...readResponseHead(okHead), status: 99 }));
  });
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ service: "orders" }),
    forwarder: forwarderTo(service.port),
  });
  const other = exchange(front.port, get("a").replace("/orders", "/held"));
  const respond = await heldResponse.promise;
  expect(parseAnswer(await exchange(front.port, get("a")))).toMatchObject({ status: 502 });
  respond();
  expect(parseAnswer(await other)).toMatchObject({ status: 200, body: "ok" });
  expect(targets).toEqual(["/held", "/orders", "/orders"]);
  await front.close();
});

/** Sends requests through a front to a service, which then stops. Its drain would take longer than a test may. */
async function askService(
  answer: (each: Exchange) => unknown,
  request: string,
  options: Partial<FrontOptions> = {},
): Promise<RawAnswer> {
  const handler = guardedHandler({ log: () => {} }, async ({ exchange: each }) => void (await answer(each)));
  const service = await listenForFront({ handler, forwards: () => true, acceptsUpgrades: true, drainMs: 400_000 });
  const result = await requested(request, {
    targetOf: () => ({ service: "orders" }),
    forwarder: forwarderTo(service.port),
    ...options,
  });
  await service.close();
  return result;
}

function bodyBytes(each: Exchange): Promise<number> {
  let bytes = 0;
  return new Promise((resolve) => each.read({ take: (chunk) => (bytes += chunk.length), end: () => resolve(bytes) }));
}

const handshake = `Connection: Upgrade
Upgrade: websocket
Sec-WebSocket-Version: 13
Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==
`.replaceAll("\n", "\r\n");

test("a WebSocket request that a service refuses is over with the response", async () => {
  const request = get("a").replace("Connection: close\r\n", handshake);
  const refusal = await askService((each) => each.send(403, ["Content-Length", 2], "no"), request);
  expect(refusal).toMatchObject({ status: 403, body: "no" });
});

test("a WebSocket request that a service answers like another has an empty body", async () => {
  const request = get("a").replace("Connection: close\r\n", handshake);
  const result = await askService(async (each) => each.send(200, [], String(await bodyBytes(each))), request);
  expect(result).toMatchObject({ status: 200, body: "0" });
});

test("a client that waits for 100-continue with an empty body gets its response", async () => {
  const post = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n";
  const result = await askService(async (each) => each.send(200, [], String(await bodyBytes(each))), post);
  expect(result).toMatchObject({ status: 200, body: "0" });
});

test("a client is not cut for a service that reads the body late and slowly", async () => {
  const bytes = 400_000;
  const post = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n${"b".repeat(bytes)}`;
  const answer = async (each: Exchange): Promise<void> => {
    await setTimeout(500);
    each.send(200, [], String(await bodyBytes(each)));
  };
  const result = await askService(answer, post, { times: { bodyMs: 50, slowCheckMs: 10 } });
  expect(result).toMatchObject({ status: 200, body: String(bytes) });
});
