import type { WebSocket } from "ws";

/**
 * Limit: bytes buffered for the client of a socket. While the buffer is full, `send` waits, and as many bytes again may
 * wait for room. Beyond that, the socket closes with 1013.
 */
export const socketBufferBytes: number = 1 * 1024 * 1024;

/**
 * Limit: bytes a second that a socket's client must read while more than half of its buffer is full; otherwise, the
 * socket closes with 1013.
 */
export const socketDrainBytesPerSecond: number = 64 * 1024;

/** Limit: milliseconds between two checks of how fast a socket's client reads. */
export const socketStallMs = 1_000;

/** Limit: bytes that one socket sends before other connections get a turn. */
export const socketBurstBytes: number = 64 * 1024;

interface WaitingMessage {
  readonly text: string;
  readonly bytes: number;
  readonly resolve: (wasTaken: boolean) => void;
}

/** If more bytes than this are buffered, the client must drain the buffer at `socketDrainBytesPerSecond`. */
const watchedBytes = socketBufferBytes / 2;

/**
 * The outgoing messages of one socket. A send resolves once its message is buffered, so a slow client does not delay a
 * broadcast. Senders wait only while the buffer is full. `onStalled` is called if the client does not drain the buffer,
 * or if a buffer's worth of bytes is waiting for room.
 */
export class SendBuffer {
  readonly #socket: WebSocket;
  readonly #onStalled: () => void;
  readonly #waiting: WaitingMessage[] = [];
  #waitingBytes = 0;
  #writtenBytes = 0;
  /** The bytes sent since `send` last let the event loop take a turn. */
  #burstBytes = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, onStalled: () => void) {
    this.#socket = socket;
    this.#onStalled = onStalled;
  }

  /** Resolves with true once the message is buffered, with false if the connection has ended. */
  async send(text: string): Promise<boolean> {
    if (!this.#isOpen) return afterTurn(false);
    const bytes = Buffer.byteLength(text);
    if (this.#waiting.length > 0 || this.#isFull) return this.#enqueue(text, bytes);
    this.#take(text, bytes);
    this.#burstBytes += bytes;
    if (this.#burstBytes < socketBurstBytes) return true;
    this.#burstBytes = 0;
    return afterTurn(true);
  }

  /** Discards messages that are waiting for room, because the connection has ended. */
  close(): void {
    clearTimeout(this.#watch);
    this.#waitingBytes = 0;
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount >= socketBufferBytes;
  }

  /**
   * Queues a message. Resolves with true once it is buffered, or with false if the connection ends. Calls `onStalled`
   * if too many bytes wait, because senders that do not await would fill the memory.
   */
  #enqueue(text: string, bytes: number): Promise<boolean> {
    this.#waitingBytes += bytes;
    const buffered = new Promise<boolean>((resolve) => this.#waiting.push({ text, bytes, resolve }));
    if (this.#waitingBytes > socketBufferBytes) this.#onStalled();
    return buffered;
  }

  #take(text: string, bytes: number): void {
    this.#writtenBytes += bytes;
    this.#socket.send(text, this.#onWritten);
    if (this.#watch === undefined && this.#socket.bufferedAmount > watchedBytes) this.#startWatch();
  }

  /** A single callback for all messages, which moves waiting messages into the freed room in order. */
  readonly #onWritten = (): void => {
    while (this.#isOpen && !this.#isFull) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.bytes;
      this.#take(next.text, next.bytes);
      next.resolve(true);
    }
  };

  #startWatch(): void {
    const drainedBefore = this.#drainedBytes;
    this.#watch = setTimeout(() => {
      this.#watch = undefined;
      if (!this.#isOpen || this.#socket.bufferedAmount <= watchedBytes) return;
      if (this.#drainedBytes - drainedBefore < (socketDrainBytesPerSecond * socketStallMs) / 1_000) this.#onStalled();
      else this.#startWatch();
    }, socketStallMs).unref();
  }

  get #drainedBytes(): number {
    return this.#writtenBytes - this.#socket.bufferedAmount;
  }
}

/** Resolves with `value` after the event loop has served other connections, which a loop of sends would block. */
function afterTurn(value: boolean): Promise<boolean> {
  return new Promise((resolve) => setImmediate(resolve, value));
}
