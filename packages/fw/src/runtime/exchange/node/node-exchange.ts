import type { IncomingMessage, ServerResponse } from "node:http";
import { unreadBytes } from "../../../lib/limits.ts";
import { plain } from "../client-ip.ts";
import type { Exchange, RawHeaders } from "../exchange.ts";
import { announcedBytes, ReadableBody } from "../readable-body.ts";
import { connectionOf, type Connection } from "./connection.ts";
import { sendHead } from "./send-head.ts";

/** Limit: bytes read from a client that is refused early, to let it read the response. */
const lingerBytes = 2 * 1024 * 1024;

/** Limit: milliseconds after which fw half-closes the connection of a client that is refused early. */
const lingerMs = 1_000;

/** Limit: further milliseconds for a client that is refused early to read the response and stop sending. */
const discardMs = 5_000;

type RequestHeaders = Readonly<Record<string, string | undefined>>;

export class NodeExchange extends ReadableBody implements Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly #headers: RequestHeaders;
  readonly #connection: Connection;
  #waitsToSend: boolean;
  #isReleased = false;
  #lingers = false;
  /** True if the client may still be sending when the response ends. */
  #endsEarly = false;

  /** `waitsToSend` is true for requests from Node's `checkContinue` event. */
  constructor(req: IncomingMessage, res: ServerResponse, waitsToSend: boolean) {
    super(req);
    this.req = req;
    this.res = res;
    // With `joinDuplicateHeaders`, only Set-Cookie is a list, and requests do not use it.
    this.#headers = req.headers as RequestHeaders;
    this.#waitsToSend = waitsToSend;
    this.#connection = connectionOf(req.socket);
    this.#connection.active++;
    this.#connection.latest = res;
  }

  get method(): string {
    return this.req.method ?? "";
  }

  get target(): string {
    return this.req.url ?? "";
  }

  get version(): string {
    return this.req.httpVersion;
  }

  get rawHeaders(): readonly string[] {
    return this.req.rawHeaders;
  }

  get address(): string {
    return plain(this.req.socket.remoteAddress ?? "");
  }

  override get isOpen(): boolean {
    return !this.req.socket.destroyed;
  }

  get isComplete(): boolean {
    return this.req.complete;
  }

  get hasBegun(): boolean {
    return this.res.headersSent;
  }

  get status(): number {
    return this.res.statusCode;
  }

  get waitsToSend(): boolean {
    return this.#waitsToSend;
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  ask(): void {
    this.#waitsToSend = false;
    this.res.writeContinue();
  }

  send(status: number, headers: RawHeaders, body: string | Uint8Array, encoding?: "latin1" | "utf8"): void {
    this.begin(status, headers);
    if (this.#endsEarly) {
      this.res.write(body, encoding ?? "utf8");
      this.end();
    } else this.res.end(body, encoding ?? "utf8");
  }

  begin(status: number, headers: RawHeaders): void {
    if (this.#hasUnreadBody()) {
      headers.push("Connection", "close");
      this.#endsEarly = true;
    }
    this.res.writeHead(status, headers as string[]);
  }

  flush(): void {
    // A response that has already ended, as during a drain, has sent its head.
    if (!this.res.writableEnded) sendHead(this.res);
  }

  write(bytes: Uint8Array | string): boolean {
    return this.res.write(bytes);
  }

  /** Also calls the listener when the response ends, because it then never drains. */
  onceDrained(listener: () => void): void {
    if (!this.isOpen) return process.nextTick(listener);
    const drained = (): void => {
      this.res.off("drain", drained);
      off();
      listener();
    };
    const off = this.onceOver(drained);
    this.res.on("drain", drained);
  }

  end(): void {
    const { res } = this;
    if (!this.#endsEarly || this.req.complete) return void res.end();
    // The head of a response without a body has not been sent yet.
    this.flush();
    // Node would send the last chunk only when the connection ends.
    if (res.chunkedEncoding && res.socket) {
      res.socket.write("0\r\n\r\n");
      res.chunkedEncoding = false;
    }
    this.#linger();
  }

  cut(): void {
    this.req.socket.destroy();
  }

  onGone(listener: () => void): void {
    this.req.socket.once("close", listener);
  }

  offGone(listener: () => void): void {
    this.req.socket.off("close", listener);
  }

  /**
   * Listens for the end of the response and of the connection, because a pipelined response never closes when the
   * connection does.
   */
  onceOver(listener: () => void): () => void {
    const off = (): void => {
      this.res.off("close", over);
      this.offGone(over);
    };
    const over = (): void => {
      off();
      listener();
    };
    this.res.once("close", over);
    this.onGone(over);
    return off;
  }

  onDrain(listener: () => void): () => void {
    const connection = this.#connection;
    if (connection.draining) listener();
    else (connection.onDrain ??= new Set()).add(listener);
    return () => void connection.onDrain?.delete(listener);
  }

  closeAfter(): void {
    this.res.shouldKeepAlive = false;
  }

  refuseRest(): void {
    this.#connection.hasRefused = true;
    this.closeAfter();
  }

  /**
   * Drops the reference to a finished request, so idle connections do not retain it. Keeps a request whose body is
   * still being measured.
   */
  release(): void {
    if (this.#isReleased || this.#lingers) return;
    this.#isReleased = true;
    const connection = this.#connection;
    connection.active--;
    if (connection.latest === this.res && (this.req.complete || announcedBytes(this) === 0))
      connection.latest = undefined;
  }

  /**
   * True if the rest of the body is not worth reading just to reuse the connection: it is too large, of unknown size,
   * or not sent yet because the client waits for 100-continue.
   */
  #hasUnreadBody(): boolean {
    if (this.req.complete || this.#connection.hasRefused) return false;
    const announced = announcedBytes(this);
    if (announced === 0) return false;
    return announced === undefined || announced > unreadBytes || this.#waitsToSend;
  }

  /**
   * Closes the connection some time after a complete response to a client that may still be sending. Closing it
   * immediately would reset the connection before the client has read the response. Until then, reads a little of the
   * remaining data.
   */
  #linger(): void {
    const { req, res } = this;
    this.#lingers = true;
    let bytes = 0;
    const close = (): void => {
      clearTimeout(timer);
      if (req.socket.writableEnded) req.socket.destroy();
      else res.end();
      this.#lingers = false;
      this.release();
    };
    let timer = setTimeout(() => {
      // A response without a socket is waiting for earlier responses.
      if (bytes > lingerBytes || res.socket === null) return close();
      req.socket.end();
      timer = setTimeout(close, discardMs);
    }, lingerMs);
    req.once("close", close);
    this.read({
      take: (chunk) => {
        bytes += chunk.byteLength;
        if (bytes > lingerBytes) req.pause();
      },
      end: () => {},
    });
  }
}

/** Returns Node's objects for a request, for other code that uses node:http. */
export function nodeObjectsOf(exchange: Exchange): Pick<NodeExchange, "req" | "res"> {
  if (exchange instanceof NodeExchange) return exchange;
  throw new TypeError("this request was not read by node:http");
}
