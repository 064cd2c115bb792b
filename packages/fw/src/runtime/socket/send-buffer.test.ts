import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import {
  SendBuffer,
  socketBufferBytes,
  socketDrainBytesPerSecond,
  socketStallMs,
  socketBurstBytes,
} from "./send-buffer.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A socket whose client reads only when a test calls `read`. */
class Client {
  readonly OPEN = 1;
  readyState = 1;
  readonly unread: { readonly text: string; readonly onWritten: () => void }[] = [];
  readonly messages: string[] = [];

  get bufferedAmount(): number {
    return this.unread.reduce((sum, { text }) => sum + text.length, 0);
  }

  send = (text: string, onWritten: () => void): void => void this.unread.push({ text, onWritten });

  read(count: number): void {
    for (const { text, onWritten } of this.unread.splice(0, count)) {
      this.messages.push(text);
      onWritten();
    }
  }
}

function buffered(): { client: Client; buffer: SendBuffer; stalls: () => number } {
  const client = new Client();
  let stalls = 0;
  const buffer = new SendBuffer(client as unknown as WebSocket, () => {
    stalls++;
    client.readyState = 2;
    buffer.close();
  });
  return { client, buffer, stalls: () => stalls };
}

const chunk = "x".repeat(socketBufferBytes / 16);

async function fill(buffer: SendBuffer, chunks: number): Promise<void> {
  for (let i = 0; i < chunks; i++) {
    const taken = buffer.send(chunk);
    await vi.advanceTimersByTimeAsync(0);
    expect(await taken).toBe(true);
  }
}

test("a message is taken at once while the buffer has room", async () => {
  const { client, buffer } = buffered();
  await fill(buffer, 16);
  expect(client.bufferedAmount).toBe(socketBufferBytes);
});

test("senders wait in order while the buffer is full", async () => {
  const { client, buffer } = buffered();
  await fill(buffer, 16);
  const order: string[] = [];
  const sends = ["a", "b"].map((text) => buffer.send(text).then(() => order.push(text)));
  await vi.advanceTimersByTimeAsync(socketStallMs / 2);
  expect(order).toEqual([]);
  client.read(1);
  await Promise.all(sends);
  expect(order).toEqual(["a", "b"]);
  client.read(18);
  expect(client.messages.slice(-2)).toEqual(["a", "b"]);
});

test("a client that does not drain the buffer stalls it, although no sender waits", async () => {
  const { buffer, stalls } = buffered();
  await fill(buffer, 9);
  await vi.advanceTimersByTimeAsync(socketStallMs);
  expect(stalls()).toBe(1);
  const sent = buffer.send("late");
  await vi.runAllTimersAsync();
  expect(await sent).toBe(false);
});

test("a client that drains the buffer at the pace keeps its connection, and a slower one does not", async () => {
  const perLook = (socketDrainBytesPerSecond * socketStallMs) / 1_000 / chunk.length;
  const { client, buffer, stalls } = buffered();
  await fill(buffer, 16);
  for (let i = 0; i < 20; i++) {
    client.read(perLook);
    await fill(buffer, perLook);
    await vi.advanceTimersByTimeAsync(socketStallMs);
  }
  expect(stalls()).toBe(0);
  client.read(perLook / 2);
  await vi.advanceTimersByTimeAsync(socketStallMs);
  expect(stalls()).toBe(1);
});

test("senders that do not wait stall a full buffer at twice its bytes, and all of them learn it", async () => {
  const { buffer, stalls } = buffered();
  const sends = Array.from({ length: 34 }, () => buffer.send(chunk));
  await vi.runAllTimersAsync();
  expect(stalls()).toBe(1);
  const taken = await Promise.all(sends);
  expect(taken.filter((each) => !each)).toHaveLength(18);
});

test("code that only sends leaves the process to others", async () => {
  const { client, buffer } = buffered();
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  const sends = (async () => {
    for (let bytes = 0; bytes < socketBurstBytes; bytes += 1_024) {
      await buffer.send("x".repeat(1_024));
      client.read(1);
    }
  })();
  await vi.advanceTimersByTimeAsync(0);
  await sends;
  expect(hadTurn).toBe(true);
});
