import { validateHeaderName, validateHeaderValue } from "node:http";
import { unreadBytes } from "../../../lib/limits.ts";
import type { BodyReader, Exchange, RawHeaders, TakenOver } from "../../../runtime/exchange/exchange.ts";
import { announcedBytes } from "../../../runtime/exchange/readable-body.ts";
import { CreditMeter, frames, relayWindow, type FrameKind, type FrameWriter } from "./frames.ts";
import { readRequestHead, writeResponseHead } from "./heads.ts";
import { RelayedBody } from "./relayed-body.ts";
import { RelayedStream } from "./relayed-stream.ts";

/** The service's end of a connection to the front. */
export interface RelayEnd {
  readonly writer: FrameWriter;
  readonly isDraining: boolean;
  /** Whether WebSocket requests can take over the client's connection. */
  readonly acceptsUpgrades: boolean;
  forget(id: number): void;
}

/** A request that the front forwards, and its response. */
export class RelayedExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly rawHeaders: readonly string[];
  readonly address = "127.0.0.1";
  readonly isForwarded: true = true;
  readonly takeOver?: () => TakenOver;
  waitsToSend: boolean;
  status = 200;
  hasBegun = false;
  isOpen = true;
  readonly #id: number;
  readonly #end: RelayEnd;
  #body: RelayedBody;
  #headers: Readonly<Record<string, string>> | undefined = undefined;
  /** True if the client's connection must be closed after the response. */
  #isLast = false;
  #isTaken = false;
  /** The bytes that may be sent before the front consumes some. */
  #credit = relayWindow;
  /** Parts of the response that are waiting for credit. */
  readonly #waiting: Uint8Array[] = [];
  #isEnding = false;
  #hasEnded = false;
  #isOver = false;
  #onDrained: (() => void)[] | undefined = undefined;
  #onGone: Set<() => void> | undefined = undefined;
  #onOver: Set<() => void> | undefined = undefined;
  #onDrain: Set<() => void> | undefined = undefined;

  constructor(end: RelayEnd, id: number, payload: Buffer) {
    const { body, method, target, version, rawHeaders } = readRequestHead(payload.toString("latin1"));
    this.#id = id;
    this.#end = end;
    this.method = method;
    this.target = target;
    this.version = version;
    this.rawHeaders = rawHeaders;
    this.waitsToSend = body === "awaited";
    this.#body = this.#newBody(body === "none" || body === "upgrade");
    if (end.acceptsUpgrades && body === "upgrade") this.takeOver = () => this.#takeOver();
  }

  header(name: string): string | undefined {
    return (this.#headers ??= joinRepeated(this.rawHeaders))[name];
  }

  get isComplete(): boolean {
    return this.#body.isComplete;
  }

  take(kind: FrameKind, payload: Buffer): void {
    if (kind === frames.data) this.#body.add(payload);
    else if (kind === frames.end) this.#endBody();
    else if (kind === frames.credit) this.#addCredit(payload.readUInt32BE(0));
    else if (kind === frames.cut) this.disconnect();
  }

  read(reader: BodyReader): void {
    this.#body.read(reader);
  }

  pause(): void {
    this.#body.pause();
  }

  resume(): void {
    this.#body.resume();
  }

  ask(): void {
    this.waitsToSend = false;
    this.#signal(frames.continue);
  }

  send(status: number, headers: RawHeaders, body: string | Uint8Array, encoding: "latin1" | "utf8" = "utf8"): void {
    if (body.length > relayWindow / 2) {
      this.begin(status, headers);
      this.write(typeof body === "string" ? Buffer.from(body, encoding) : body);
      return this.end();
    }
    const head = this.#headOf(status, headers, typeof body === "string" ? encoding : "");
    if (this.isOpen) this.#end.writer.whole(frames.respond, this.#id, head, body, encoding);
    this.#hasEnded = true;
    this.#settle();
  }

  begin(status: number, headers: RawHeaders): void {
    const head = this.#headOf(status, headers, "");
    if (this.isOpen) this.#end.writer.text(frames.begin, this.#id, head);
  }

  flush(): void {
    if (!this.#hasEnded) this.#signal(frames.flush);
  }

  write(bytes: Uint8Array | string): boolean {
    if (!this.isOpen || this.#isEnding) return true;
    this.#waiting.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    this.#pump();
    return this.#credit > 0;
  }

  onceDrained(listener: () => void): void {
    if (this.isOpen) (this.#onDrained ??= []).push(listener);
    else process.nextTick(listener);
  }

  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  cut(): void {
    if (!this.isOpen) return;
    this.#signal(frames.cut);
    this.isOpen = false;
    process.nextTick(() => this.disconnect());
  }

  onGone(listener: () => void): void {
    (this.#onGone ??= new Set()).add(listener);
  }

  offGone(listener: () => void): void {
    this.#onGone?.delete(listener);
  }

  onceOver(listener: () => void): () => void {
    (this.#onOver ??= new Set()).add(listener);
    return () => void this.#onOver?.delete(listener);
  }

  onDrain(listener: () => void): () => void {
    if (this.#end.isDraining) listener();
    else (this.#onDrain ??= new Set()).add(listener);
    return () => void this.#onDrain?.delete(listener);
  }

  closeAfter(): void {
    this.#isLast = true;
  }

  refuseRest(): void {
    this.closeAfter();
  }

  release(): void {}

  drain(): void {
    for (const listener of this.#onDrain ?? []) listener();
  }

  /** Ends the exchange because the client disconnected or the connection to the front was lost. */
  disconnect(): void {
    if (this.#isOver) return;
    this.isOpen = false;
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#end.forget(this.#id);
    this.#body.end(false);
    callAll(this.#onGone);
    this.#callOver();
    this.#callDrained();
  }

  #newBody(isEmpty: boolean): RelayedBody {
    return new RelayedBody(isEmpty, new CreditMeter(this.#end.writer, this.#id));
  }

  /** Treats everything the client sends from here on as a body of unknown length. */
  #takeOver(): TakenOver {
    this.#isTaken = true;
    this.#body = this.#newBody(false);
    this.hasBegun = true;
    this.status = 101;
    this.#signal(frames.takeOver);
    return { stream: new RelayedStream(this), head: Buffer.alloc(0) };
  }

  /** Throws the same errors as Node's `writeHead` for headers that cannot be sent. */
  #headOf(status: number, headers: RawHeaders, encoding: "" | "latin1" | "utf8"): string {
    if (this.hasBegun) throw new Error("the response has already started");
    if (!Number.isInteger(status) || status < 200 || status > 999) throw new RangeError(`invalid status: ${status}`);
    const rawHeaders: string[] = [];
    for (let i = 0; i < headers.length; i += 2) addHeader(rawHeaders, String(headers[i]), headers[i + 1]);
    this.hasBegun = true;
    this.status = status;
    return writeResponseHead({ status, isLast: this.#isLast || this.#hasUnreadBody(), encoding, rawHeaders });
  }

  /**
   * True if the rest of the body is not worth reading merely to reuse the client's connection: it is too large, its
   * size is unknown, or the client has not begun to send it.
   */
  #hasUnreadBody(): boolean {
    if (this.isComplete) return false;
    const announced = announcedBytes(this);
    return announced === undefined || announced > unreadBytes || this.waitsToSend;
  }

  #endBody(): void {
    this.#body.end(true);
    this.#settle();
  }

  #addCredit(bytes: number): void {
    this.#credit += bytes;
    this.#pump();
    if (this.#credit > 0 && this.#onDrained !== undefined) this.#callDrained();
  }

  /** Sends what the credit allows. */
  #pump(): void {
    if (!this.isOpen) return;
    while (this.#credit > 0 && this.#waiting.length > 0) {
      const chunk = this.#waiting.shift() as Uint8Array;
      const part = chunk.subarray(0, this.#credit);
      if (part.length < chunk.length) this.#waiting.unshift(chunk.subarray(part.length));
      this.#credit -= part.length;
      if (part.length > 0) this.#end.writer.bytes(frames.data, this.#id, part);
    }
    if (!this.#isEnding || this.#hasEnded || this.#waiting.length > 0) return;
    this.#hasEnded = true;
    this.#signal(frames.end);
    this.#settle();
  }

  /** Ends the exchange once both sides have sent everything. */
  #settle(): void {
    if (!this.#hasEnded || this.#isOver) return;
    if (this.#isTaken) return this.#body.hasEnded ? this.disconnect() : undefined;
    if (this.#body.hasEnded) {
      this.#isOver = true;
      this.#end.forget(this.#id);
    }
    if (this.#onOver !== undefined) process.nextTick(() => this.#callOver());
  }

  #callOver(): void {
    const listeners = this.#onOver;
    this.#onOver = undefined;
    callAll(listeners);
  }

  #callDrained(): void {
    const listeners = this.#onDrained;
    this.#onDrained = undefined;
    callAll(listeners);
  }

  #signal(kind: FrameKind): void {
    if (this.isOpen) this.#end.writer.signal(kind, this.#id);
  }
}

function addHeader(rawHeaders: string[], name: string, value: RawHeaders[number] | undefined): void {
  if (Array.isArray(value)) {
    for (const one of value as readonly string[]) addHeader(rawHeaders, name, one);
    return;
  }
  const text = String(value);
  validateHeaderName(name);
  validateHeaderValue(name, text);
  rawHeaders.push(name, text);
}

/** Returns headers by lower-case name. Joins repeated headers as Node's `joinDuplicateHeaders` does. */
function joinRepeated(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const headers = Object.create(null) as Record<string, string>;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return headers;
}

function callAll(listeners: Iterable<() => void> | undefined): void {
  for (const listener of listeners ?? []) listener();
}
