import type { Socket } from "node:net";

/**
 * The kinds of frames between the front and a process of a service. The number in a frame identifies its request,
 * except in `hello`, `welcome`, `leaving` and `left`.
 */
export const frames = {
  /** Front: the first frame of a connection, with the token that proves it is the front. */
  hello: 0,
  /** Service: it accepts requests on this connection. */
  welcome: 14,
  /** Front: the head of a request (`RequestHead`). */
  request: 1,
  /** Both: a part of a body, or data from a connection that was taken over. */
  data: 2,
  /** Both: the end of a body. */
  end: 3,
  /**
   * Front: the request is over, because the client has disconnected, its response cannot be sent, or the rest of its
   * body will not arrive. Service: close the client's connection.
   */
  cut: 4,
  /** Both: the number of `data` bytes consumed; the other end may send that many more. */
  credit: 5,
  /** Service: a complete response (`ResponseHead`), with its body. */
  respond: 6,
  /** Service: the head of a response whose body follows. */
  begin: 7,
  /** Service: send the head before the body. */
  flush: 8,
  /** Service: the client should send the body it is holding back (100-continue). */
  continue: 9,
  /** Service: the client's connection no longer speaks HTTP. `data` is passed to the client unchanged. */
  takeOver: 10,
  /** Service: it has not handled the request because it is stopping. */
  refuse: 11,
  /** Service: it refuses all further requests. */
  leaving: 12,
  /** Front: it will send no more requests. */
  left: 13,
} as const;

export type FrameKind = (typeof frames)[keyof typeof frames];

/** Limit: bytes of a request or response body in flight between the front and a service. */
export const relayWindow: number = 64 * 1024;

/** Limit: bytes of a frame between the front and a service. Longer response headers cannot be sent. */
const frameBytes: number = 1024 * 1024;

/** The bytes before a payload: its length, the kind and the number. */
const prefixBytes = 9;

/** The maximum size in bytes of a payload that is copied into the buffer; larger ones are written directly. */
const copiedBytes = 16 * 1024;

/** The size of the buffer for small frames, in bytes. */
const slabBytes = 64 * 1024;

/** Receives the frames of a connection. The payload is not reused, so a receiver may keep it. */
export type TakeFrame = (kind: FrameKind, id: number, payload: Buffer) => void;

/** Writes frames. Frames of one event loop turn are written together. */
export class FrameWriter {
  readonly #socket: Socket;
  #slab: Buffer = Buffer.allocUnsafeSlow(slabBytes);
  /** The part of the slab that has not been passed to the socket yet. */
  #start = 0;
  #end = 0;
  #isScheduled = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Writes a frame without a payload. */
  signal(kind: FrameKind, id: number): void {
    this.#prefix(kind, id, 0, 0);
  }

  number(kind: FrameKind, id: number, value: number): void {
    this.#prefix(kind, id, 4, 4);
    this.#end = this.#slab.writeUInt32BE(value, this.#end);
  }

  /** Writes a frame with a Latin-1 string. */
  text(kind: FrameKind, id: number, text: string): void {
    this.#prefix(kind, id, text.length, text.length);
    this.#end += this.#slab.write(text, this.#end, "latin1");
  }

  bytes(kind: FrameKind, id: number, bytes: Uint8Array): void {
    const { length } = bytes;
    this.#prefix(kind, id, length, length > copiedBytes ? 0 : length);
    if (length > copiedBytes) return this.#pass(bytes);
    this.#slab.set(bytes, this.#end);
    this.#end += length;
  }

  /** Writes a frame that holds the length of a head, the head in Latin-1, and a body. */
  whole(kind: FrameKind, id: number, head: string, body: string | Uint8Array, encoding: "latin1" | "utf8"): void {
    const bodyBytes = typeof body === "string" ? Buffer.byteLength(body, encoding) : body.length;
    const bytes = 4 + head.length + bodyBytes;
    this.#prefix(kind, id, bytes, bytes);
    this.#end = this.#slab.writeUInt32BE(head.length, this.#end);
    this.#end += this.#slab.write(head, this.#end, "latin1");
    if (typeof body === "string") this.#slab.write(body, this.#end, encoding);
    else this.#slab.set(body, this.#end);
    this.#end += bodyBytes;
  }

  /** Writes the prefix of a frame and reserves room for the part of its payload that is copied. */
  #prefix(kind: FrameKind, id: number, payloadBytes: number, copied: number): void {
    if (payloadBytes > frameBytes) throw new RangeError("the headers are too large");
    this.#reserve(prefixBytes + copied);
    const slab = this.#slab;
    const at = slab.writeUInt32BE(payloadBytes, this.#end);
    slab[at] = kind;
    this.#end = slab.writeUInt32BE(id, at + 1);
    this.#schedule();
  }

  #reserve(bytes: number): void {
    if (this.#slab.length - this.#end >= bytes) return;
    this.#flush();
    this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, bytes));
    this.#start = this.#end = 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
      this.#socket.uncork();
    });
  }

  #pass(bytes: Uint8Array): void {
    this.#flush();
    this.#socket.write(bytes);
  }

  #flush(): void {
    if (this.#end === this.#start) return;
    this.#socket.write(this.#slab.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}

/** Grants the sender of a body more credit each time half a window has been consumed. */
export class CreditMeter {
  readonly #writer: FrameWriter;
  readonly #id: number;
  #bytes = 0;

  constructor(writer: FrameWriter, id: number) {
    this.#writer = writer;
    this.#id = id;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < relayWindow / 2) return;
    this.#writer.number(frames.credit, this.#id, this.#bytes);
    this.#bytes = 0;
  }
}

/** Reads the frames of a connection, and destroys it after a frame that is too large. `take` must not throw. */
export function readFrames(socket: Socket, take: TakeFrame): void {
  let rest: Buffer | undefined;
  socket.on("data", (chunk: Buffer) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    const used = takeAll(bytes, take);
    if (used === undefined) socket.destroy();
    else rest = used === bytes.length ? undefined : bytes.subarray(used);
  });
}

/** Passes complete frames to `take` and returns how many bytes they used; undefined if a frame is too large. */
function takeAll(bytes: Buffer, take: TakeFrame): number | undefined {
  let at = 0;
  while (bytes.length - at >= prefixBytes) {
    const length = bytes.readUInt32BE(at);
    if (length > frameBytes) return undefined;
    const end = at + prefixBytes + length;
    if (end > bytes.length) break;
    take(bytes[at + 4] as FrameKind, bytes.readUInt32BE(at + 5), bytes.subarray(at + prefixBytes, end));
    at = end;
  }
  return at;
}
