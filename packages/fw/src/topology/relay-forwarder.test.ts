import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import type { Exchange, RawHeaders } from "../runtime/exchange/exchange.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import { serve, type RunningServer } from "../runtime/server.ts";
import { exchange } from "../runtime/testing/server.ts";
import { listenForFront, type RelayServer } from "../service/local/relay/listen.ts";
import { openFront } from "./front.ts";
import { RelayForwarder } from "./relay-forwarder.ts";

/** How the service responds. A request's query is an index into this list. */
const plans: Plan[] = [];

interface Plan {
  /** Whether to read the body before responding, and repeat it in the response. */
  readonly reads: boolean;
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  /** The parts of the response body, joined if `isWhole` is true. */
  readonly parts: readonly string[];
  readonly isWhole: boolean;
  readonly asBytes: boolean;
  readonly flushes: boolean;
}

let direct: RunningServer;
let front: RunningServer;
let service: RelayServer;

beforeAll(async () => {
  const handler = guardedHandler({ log: () => {} }, ({ exchange: each, query }) =>
    answer(each, plans[Number(query)] as Plan),
  );
  direct = await serve(handler, { port: 0, host: "127.0.0.1" });
  service = await listenForFront({ handler, forwards: () => true, acceptsUpgrades: true });
  const pool = {
    ready: Promise.resolve(),
    hasFailed: false,
    use: <T>(work: (port: number, relayPort?: number) => Promise<T>) => work(0, service.port),
  };
  front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ service: "orders" }),
    forwarder: new RelayForwarder({ poolOf: () => pool, tokenFor: () => "", unavailable: () => "" }),
  });
});

afterAll(async () => {
  await Promise.all([direct.close(), front.close(), service.close()]);
});

async function answer(each: Exchange, plan: Plan): Promise<void> {
  const request = [each.method, each.target.split("?")[0], each.version, each.header("x-odd"), each.header("cookie")];
  const body = plan.reads ? await bodyOf(each) : [];
  const parts = [...plan.parts, ...(plan.reads ? [JSON.stringify([...request, body.join("")])] : [])];
  const headers: RawHeaders = plan.headers.flat();
  if (plan.isWhole) {
    const text = parts.join("");
    headers.push("Content-Length", Buffer.byteLength(text));
    return each.send(plan.status, headers, plan.asBytes ? Buffer.from(text) : text, "utf8");
  }
  each.begin(plan.status, headers);
  if (plan.flushes) each.flush();
  for (const part of parts)
    if (!each.write(plan.asBytes ? Buffer.from(part) : part))
      await new Promise<void>((resolve) => each.onceDrained(resolve));
  each.end();
}

function bodyOf(each: Exchange): Promise<readonly string[]> {
  const chunks: string[] = [];
  if (each.waitsToSend) each.ask();
  return new Promise((resolve) =>
    each.read({
      take: (chunk) => void chunks.push(chunk.toString("latin1")),
      end: (isWhole) => resolve([...chunks, isWhole ? "" : "incomplete"]),
    }),
  );
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constant("é€"),
  fc.constantFrom(70_000, 300_000).map((n) => "x".repeat(n)),
);
const token = fc.constantFrom("X-A", "x-b", "Set-Cookie", "ETag", "Vary", "Content-Type");
const value = fc.constantFrom("", "a", "close", "a, b");
const plan: fc.Arbitrary<Plan> = fc.record({
  reads: fc.boolean(),
  status: fc.constantFrom(200, 201, 204, 304, 400, 404, 500, 599),
  headers: fc.array(fc.tuple(token, fc.oneof(value, fc.array(value, { maxLength: 2 }))), { maxLength: 4 }),
  parts: fc.array(text, { maxLength: 3 }),
  isWhole: fc.boolean(),
  asBytes: fc.boolean(),
  flushes: fc.boolean(),
});
const headerLines = fc.array(
  fc.constantFrom("X-Odd: 1", "X-Odd: \xfc", "Cookie: a=1", "Cookie: b=2", "x-odd:", "TE: trailers", "Accept: */*"),
  { maxLength: 4 },
);
const body = fc.oneof(
  fc.constant(""),
  fc.constantFrom(3, 5_000, 65_536).map((n) => `Content-Length: ${n}\r\n\r\n${"b".repeat(n)}`),
  fc.constant("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"),
);
const anyMessage = fc.record({
  method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "OPTIONS"),
  plan,
  headerLines,
  body,
});

/**
 * Requests whose responses do not depend on timing. If the service does not read a chunked body, the connection may or
 * may not end after the response.
 */
const message = anyMessage.map((each) =>
  each.body.startsWith("Transfer") ? { ...each, plan: { ...each.plan, reads: true } } : each,
);

/** Returns the bytes of a request. Only the last one has `Connection: close`, so that others can precede it. */
function bytesOf(each: typeof message extends fc.Arbitrary<infer T> ? T : never, isLast: boolean): string {
  const target = `/a?${plans.push(each.plan) - 1}`;
  const lines = ["Host: a", ...each.headerLines, ...(isLast ? ["Connection: close"] : [])];
  return `${each.method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${each.body === "" ? "\r\n" : each.body}`;
}

/** Returns everything received until the connection closes, without what varies: times, request ids and chunk sizes. */
async function transcriptOf(port: number, request: string): Promise<string> {
  const answer = await exchange(port, Buffer.from(request, "latin1"));
  return answer
    .replaceAll(/^Date: .*/gm, "Date: now")
    .replaceAll(/^x-request-id: .*/gim, "X-Request-Id: an id")
    .replaceAll(/(?<=\r\n|^)HTTP\/1\.1 .*?\r\n\r\n/gs, inOrder)
    .replaceAll(/\r\n[0-9a-f]+\r\n/g, "")
    .replaceAll(/x{9,}/g, (run) => `${run.length} x`);
}

/**
 * Sorts the headers of a response: the position of `Connection: close` depends on whether the server or the service
 * adds it.
 */
function inOrder(head: string): string {
  const [status = "", ...lines] = head.trimEnd().split("\r\n");
  return `${[status, ...lines.toSorted()].join("\r\n")}\r\n\r\n`;
}

test("a response through the front has the bytes of the service's own", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), async (messages) => {
      const request = messages.map((each, i) => bytesOf(each, i === messages.length - 1)).join("");
      const ports = [front.port, direct.port];
      const [relayed = "", own = ""] = await Promise.all(ports.map((port) => transcriptOf(port, request)));
      expect(relayed).toBe(own);
    }),
    { numRuns: tries(20) },
  );
});
