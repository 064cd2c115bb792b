import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import type { Handler } from "../../../runtime/handler.ts";
import { frames, FrameWriter, readFrames, type FrameKind } from "./frames.ts";
import { listenForFront } from "./listen.ts";

// The numbers in docs/limits.md, not the constants: a test that imports the constants would accept any change.
const relayWindow = 64 * 1024;
const frameBytes = 1024 * 1024;

interface ReceivedFrame {
  readonly kind: FrameKind;
  readonly id: number;
  readonly bytes: number;
}

interface TestFront extends AsyncDisposable {
  readonly writer: FrameWriter;
  readonly socket: Socket;
  /** Resolves with the frames before the first one of this kind. */
  readonly until: (kind: FrameKind) => Promise<readonly ReceivedFrame[]>;
  readonly stop: () => Promise<void>;
}

/** Connects to a service as the front does. */
async function frontOf(handler: Handler): Promise<TestFront> {
  const service = await listenForFront({
    handler,
    forwards: (token) => token === "token",
    acceptsUpgrades: true,
    drainMs: 100,
  });
  const socket = connect(service.port, "127.0.0.1");
  const writer = new FrameWriter(socket);
  const list: ReceivedFrame[] = [];
  const waiting = new Set<() => void>();
  readFrames(socket, (kind, id, payload) => {
    list.push({ kind, id, bytes: payload.length });
    for (const look of waiting) look();
  });
  writer.text(frames.hello, 0, "token");
  const until = (kind: FrameKind): Promise<readonly ReceivedFrame[]> =>
    new Promise((resolve) => {
      const look = (): void => {
        const index = list.findIndex((each) => each.kind === kind);
        if (index < 0) return;
        waiting.delete(look);
        resolve(list.splice(0, index + 1).slice(0, -1));
      };
      waiting.add(look);
      look();
    });
  await until(frames.welcome);
  const stop = (): Promise<void> => service.close();
  return { writer, socket, until, stop, [Symbol.asyncDispose]: stop };
}

const get = "none\nGET\n/\n1.1\nHost\na";

test("a service sends no more of a body than the front has consumed, and one window", async () => {
  await using front = await frontOf((exchange) => {
    exchange.begin(200, []);
    while (exchange.write(Buffer.alloc(10_000))) continue;
    exchange.write(Buffer.alloc(10_000));
    exchange.end();
  });
  front.writer.text(frames.request, 1, get);
  front.writer.text(frames.request, 2, get);
  // The head of the second response follows everything that the first one may send.
  await front.until(frames.begin);
  const partial = await front.until(frames.begin);
  expect(bytesOfFirst(partial)).toBe(relayWindow);
  front.writer.number(frames.credit, 1, relayWindow);
  const rest = await front.until(frames.end);
  expect(bytesOfFirst(rest)).toBe(80_000 - relayWindow);
});

/** Counts the bytes of the first request's response. */
function bytesOfFirst(received: readonly ReceivedFrame[]): number {
  return received.reduce((sum, { id, bytes }) => (id === 1 ? sum + bytes : sum), 0);
}

test("a frame above its limit ends the connection", async () => {
  await using front = await frontOf(() => {});
  const prefix = Buffer.alloc(9);
  prefix.writeUInt32BE(frameBytes + 1);
  front.socket.write(prefix);
  await new Promise((resolve) => front.socket.once("close", resolve));
});

test("a response whose headers exceed a frame fails in its handler", async () => {
  let failure: unknown;
  await using front = await frontOf((exchange) => {
    try {
      exchange.begin(200, ["X-A", "a".repeat(frameBytes)]);
    } catch (error) {
      failure = error;
      exchange.cut();
    }
  });
  front.writer.text(frames.request, 1, get);
  await front.until(frames.cut);
  expect(failure).toMatchObject({ message: "the headers are too large" });
});

test("a header that HTTP does not allow fails in its handler", async () => {
  let failure: unknown;
  await using front = await frontOf((exchange) => {
    try {
      exchange.begin(200, ["X-A", "a\nX-B: b"]);
    } catch (error) {
      failure = error;
      exchange.begin(500, []);
      exchange.end();
    }
  });
  front.writer.text(frames.request, 1, get);
  await front.until(frames.end);
  expect(failure).toMatchObject({ code: "ERR_INVALID_CHAR" });
});

test("a service that stops refuses further requests, and ends the connection after those in progress", async () => {
  let respond = (): void => {};
  let begin = (): void => {};
  const arrival = new Promise<void>((resolve) => (begin = resolve));
  await using front = await frontOf((exchange) => {
    respond = () => exchange.send(200, [], "late");
    begin();
  });
  front.writer.text(frames.request, 1, get);
  await arrival;
  const closing = front.stop();
  await front.until(frames.leaving);
  front.writer.text(frames.request, 2, get);
  await front.until(frames.refuse);
  front.writer.signal(frames.left, 0);
  respond();
  await front.until(frames.respond);
  await closing;
});

test("a request whose client disconnects aborts in the service", async () => {
  let report = (_isOpen: boolean): void => {};
  const isOpen = new Promise((resolve) => (report = resolve));
  await using front = await frontOf((exchange) => exchange.onGone(() => report(exchange.isOpen)));
  front.writer.text(frames.request, 1, get);
  front.writer.signal(frames.cut, 1);
  expect(await isOpen).toBe(false);
});
