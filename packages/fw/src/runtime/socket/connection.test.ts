import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";
import { OpenConnection, socketQueue, socketPingMs, socketCloseMs, socketReasonBytes } from "./connection.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A peer, as seen by the code that reads and writes frames. */
class Frames extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  bufferedAmount = 0;
  readonly sentFrames: string[] = [];

  pause = (): void => void (this.isPaused = true);
  resume = (): void => void (this.isPaused = false);
  pingPayload: Buffer = Buffer.alloc(0);
  ping = (data: Buffer): void => {
    this.pingPayload = data;
    this.sentFrames.push("ping");
  };
  pong = (data: Buffer): void => void this.sentFrames.push(`pong ${data.toString()}`);
  send = (text: string, sent: () => void): void => {
    this.sentFrames.push(text);
    sent();
  };
  close = (code: number, reason: string): void => {
    this.readyState = 2;
    this.sentFrames.push(`close ${code} ${reason}`);
  };
  terminate = (): void => {
    this.readyState = 3;
    this.sentFrames.push("cut");
    this.emit("close");
  };
}

function openFixture(): {
  readonly frames: Frames;
  readonly connection: OpenConnection;
  readonly aborted: () => boolean;
} {
  const frames = new Frames();
  let aborted = false;
  const request = { abort: () => (aborted = true), signal: { aborted: false } } as unknown as Request;
  const endpoint = {
    socket: { decode: (value: unknown) => value, exactIntegers: false },
  } as unknown as BundledEndpoint;
  const connection = new OpenConnection(frames as unknown as WebSocket, request, endpoint);
  return { frames, connection, aborted: () => aborted };
}

test("messages that the handler does not read stay with the client", async () => {
  const { frames, connection } = openFixture();
  for (let i = 1; i <= socketQueue; i++) {
    expect(frames.isPaused).toBe(false);
    frames.emit("message", Buffer.from(String(i)), false);
  }
  expect(frames.isPaused).toBe(true);
  const messages = connection[Symbol.asyncIterator]();
  expect(await messages.next()).toEqual({ value: 1, done: false });
  expect(frames.isPaused).toBe(false);
});

test("what came before the end is still read, and then there is no more", async () => {
  const { frames, connection, aborted } = openFixture();
  frames.emit("message", Buffer.from("7"), false);
  frames.terminate();
  expect(aborted()).toBe(true);
  const came: unknown[] = [];
  for await (const message of connection) came.push(message);
  expect(came).toEqual([7]);
  const sent = connection.send(1);
  await vi.runAllTimersAsync();
  expect(await sent).toBe(false);
});

test("only a pong with the payload of the last ping keeps a connection", () => {
  const { frames } = openFixture();
  vi.advanceTimersByTime(socketPingMs);
  const first = frames.pingPayload;
  frames.emit("pong", first);
  vi.advanceTimersByTime(socketPingMs);
  expect(frames.sentFrames).toEqual(["ping", "ping"]);
  for (const payload of [Buffer.alloc(0), first, Buffer.alloc(8)]) frames.emit("pong", payload);
  vi.advanceTimersByTime(socketPingMs);
  expect(frames.sentFrames).toEqual(["ping", "ping", "cut"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("who asks whether somebody is there, and does not read the answers, is answered once", () => {
  const { frames } = openFixture();
  frames.emit("ping", Buffer.from("a"));
  frames.bufferedAmount = 1;
  frames.emit("ping", Buffer.from("b"));
  expect(frames.sentFrames).toEqual(["pong a"]);
});

test("who does not say that they have seen the end is cut", () => {
  const { frames, connection } = openFixture();
  connection.leave();
  expect(frames.sentFrames).toEqual(["close 1001 the service closed the connection; open another one"]);
  vi.advanceTimersByTime(socketCloseMs);
  expect(frames.sentFrames).toContain("cut");
});

test("a client that is still reading when the handler returns gets all of it", () => {
  const { frames, connection } = openFixture();
  frames.bufferedAmount = 3_000;
  connection.end();
  for (const left of [2_000, 1_000]) {
    frames.bufferedAmount = left;
    vi.advanceTimersByTime(socketCloseMs);
  }
  expect(frames.sentFrames).toEqual(["close 1000 "]);
  vi.advanceTimersByTime(socketCloseMs);
  expect(frames.sentFrames).toEqual(["close 1000 ", "cut"]);
});

test("a connection is closed with a code of the application and a short reason", () => {
  const { frames, connection } = openFixture();
  for (const code of [0, 999, 1001, 1006, 3000, 3999, 5000, 4000.5, Number.NaN])
    expect(() => connection.close(code)).toThrow("the code of close() must be 1000 or from 4000 to 4999");
  expect(() => connection.close(4000, "é".repeat(socketReasonBytes / 2 + 1))).toThrow("must have at most 123 bytes");
  expect(frames.sentFrames).toEqual([]);
  connection.close(4999, "done");
  expect(frames.sentFrames).toEqual(["close 4999 done"]);
});
