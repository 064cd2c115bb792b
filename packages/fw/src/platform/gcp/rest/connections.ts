import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { transportOf, type Transport, type Transports } from "../../../lib/http-transport.ts";
import type { Target } from "./hosts.ts";

/** Limit: connections to one Google host; further calls wait for a free one. */
const cloudConnections = 128;

/** Lifetime of idle connections in milliseconds, which is shorter than Google's. */
const idleMs = 60_000;

const limits = { maxSockets: cloudConnections, timeout: idleMs };

/** Milliseconds without data after which a response is aborted. */
const stallMs = 30_000;

export interface Outgoing {
  readonly target: Target;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds within which the response must start. */
  readonly answerMs: number;
}

/** A response with its body as a stream. */
export interface CloudAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read or destroyed. */
  readonly body: IncomingMessage;
}

/** Thrown if a request gets no response. */
export class NoResponse extends Error {
  /** True if some of the request may have arrived. */
  readonly wasSent: boolean;

  constructor(cause: Error, wasSent: boolean) {
    super(cause.message, { cause });
    this.wasSent = wasSent;
  }
}

/** The time of a connection's last response, as returned by `performance.now`. */
const usedAt = new WeakMap<Socket, number>();

/** Keep-alive connections, with a maximum for each host. */
export class Connections {
  readonly #transports: Transports = new Map();

  /** Sends a request without retries. Rejects with a NoResponse or the signal's reason. */
  async send(outgoing: Outgoing): Promise<CloudAnswer> {
    const { signal, target } = outgoing;
    signal?.throwIfAborted();
    const transport = await transportOf(this.#transports, target.protocol, limits);
    try {
      return await exchange(transport, outgoing);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }

  async close(): Promise<void> {
    for (const transport of this.#transports.values()) (await transport).agent.destroy();
  }
}

function exchange({ request, agent }: Transport, outgoing: Outgoing): Promise<CloudAnswer> {
  return new Promise((resolve, reject) => {
    const { target, method, path, headers, body, signal, answerMs } = outgoing;
    const req = request({
      hostname: target.hostname,
      port: target.port,
      method,
      path: target.prefix + path,
      headers: { host: target.host, ...(headers["content-length"] === undefined && framing(body)), ...headers },
      agent,
      ...(signal && { signal }),
    });
    let isSent = false;
    const timer = setTimeout(() => req.destroy(new Error(`no response within ${answerMs} ms`)), answerMs);
    req.once("socket", (socket) => {
      // Timers do not run while an instance is frozen between requests, so the pool may keep stale connections.
      if (isStale(socket)) {
        req.destroy(new Error("the connection was too old"));
        return;
      }
      if (socket.connecting) socket.once("connect", () => (isSent = true));
      else isSent = true;
      write(req, body);
    });
    req.once("response", (res) => {
      clearTimeout(timer);
      req.setTimeout(stallMs, () => req.destroy(new Error(`no data for ${stallMs} ms`)));
      const { socket } = res;
      res.once("end", () => usedAt.set(socket, performance.now()));
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: res });
    });
    req.on("error", (error) => reject(new NoResponse(error, isSent)));
    req.once("close", () => clearTimeout(timer));
  });
}

/** Returns the headers that frame the body, which Node adds only for some methods. */
function framing(body: Outgoing["body"]): Readonly<Record<string, string | number>> {
  if (body instanceof ReadableStream) return { "transfer-encoding": "chunked" };
  return body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
}

function isStale(socket: Socket): boolean {
  const used = usedAt.get(socket);
  return used !== undefined && performance.now() - used > idleMs;
}

function write(req: ClientRequest, body: Outgoing["body"]): void {
  if (!(body instanceof ReadableStream)) return void req.end(body);
  const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  stream.on("error", (error) => req.destroy(error));
  req.once("close", () => stream.destroy());
  stream.pipe(req);
}
