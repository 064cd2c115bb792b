import type { Socket } from "node:net";

/**
 * The kinds of frames between the front and a process of a service. Each frame belongs to a request, by its number,
 * except `hello`, `leaving` and `left`.
 */
export const frames = {
  /** Front: the token that proves that it is the front. The first frame of a connection. */
  hello: 0,
  /** Service: it handles the requests of this connection. */
  welcome: 14,
  /** Front: the head of a request (`RequestHead`). */
  request: 1,
  /** Both: a part of a body, or of what a taken-over connection receives. */
  data: 2,
  /** Both: the end of a body. */
  end: 3,
  /** Front: the client has disconnected. Service: close the client's connection. */
  cut: 4,
  /** Both: a number of bytes of `data` that were consumed, so that as many may follow. */
  credit: 5,
  /** Service: a complete response (`ResponseHead`), with its body. */
  respond: 6,
  /** Service: the head of a response whose body follows. */
  begin: 7,
  /** Service: send the head before the body. */
  flush: 8,
  /** Service: send 100-continue, and then the body. */
  continue: 9,
  /** Service: the client's connection no longer speaks HTTP; `data` is sent to it unchanged. */
  takeOver: 10,
  /** Service: it has not handled the request, because it stops. */
  refuse: 11,
  /** Service: it refuses all further requests. */
  leaving: 12,
  /** Front: it will send no further requests. */
  left: 13,
} as const;

export type FrameKind = (typeof frames)[keyof typeof frames];

/** Limit: bytes of a request's or response's body that may be on their way between the front and a service. */
export const relayWindow: number = 64 * 1024;

/** Limit: bytes of a frame between the front and a service. A service with longer response headers cannot send them. */
const frameBytes: number = 1024 * 1024;

/** The length, the kind and the number. */
const prefixBytes = 9;

/** Larger payloads are written without a copy. */
const copiedBytes = 16 * 1024;

/** Bytes of the buffer in which small frames are collected. */
const slabBytes = 64 * 1024;

/** Receives the frames of a connection. The payload is valid as long as it is referenced. */
export type TakeFrame = (kind: FrameKind, id: number, payload: Buffer) => void;

/** Writes frames, those of one turn of the event loop together. */
export class FrameWriter {
  readonly #socket: Socket;
  #slab: Buffer = Buffer.allocUnsafeSlow(slabBytes);
  /** The part of the slab that has not been passed to the socket. */
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

  /** Writes a frame with a text of Latin-1. */
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

  /** Writes a frame with the length of a head, the head in Latin-1, and a body. */
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

  /** Writes the beginning of a frame, and makes room for the part of its payload that is copied. */
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

/** Lets the sender of a body continue, whenever half of a window was consumed. */
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

/** Passes on the complete frames and returns the number of their bytes; undefined if a frame is too large. */
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
