import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { cloudConnections } from "../../../lib/limits.ts";
import type { Target } from "./hosts.ts";

/** Milliseconds that an idle connection is kept, less than Google keeps it. */
const idleMs = 60_000;

/** Milliseconds for which the bytes of an answer may not move. */
const stallMs = 30_000;

/** One request as it is sent. */
export interface Outgoing {
  readonly target: Target;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the head of an answer is there. */
  readonly answerMs: number;
}

/** The head of an answer, and its body as it comes. */
export interface CloudAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whoever does not read it destroys it. */
  readonly body: IncomingMessage;
}

/** A request without an answer. */
export class Unanswered extends Error {
  /** True where something of it may have arrived. */
  readonly sent: boolean;

  constructor(cause: Error, sent: boolean) {
    super(cause.message, { cause });
    this.sent = sent;
  }
}

interface Transport {
  readonly request: (options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
}

/** When the last answer of a connection ended, on the clock of `performance.now`. */
const usedAt = new WeakMap<Socket, number>();

/** Connections to Google, kept for the next request and bounded for each host. */
export class Connections {
  readonly #transports = new Map<string, Promise<Transport>>();

  /** Sends once. Rejects with an Unanswered, or with the signal's reason. */
  async send(outgoing: Outgoing): Promise<CloudAnswer> {
    const { signal, target } = outgoing;
    signal?.throwIfAborted();
    const transport = await this.#transport(target.protocol);
    try {
      return await exchange(transport, outgoing);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }

  async close(): Promise<void> {
    for (const transport of this.#transports.values()) (await transport).agent.destroy();
  }

  /** What only one scheme needs is loaded with its first request. */
  #transport(protocol: Target["protocol"]): Promise<Transport> {
    const known = this.#transports.get(protocol);
    if (known !== undefined) return known;
    const opened = openTransport(protocol);
    this.#transports.set(protocol, opened);
    return opened;
  }
}

async function openTransport(protocol: Target["protocol"]): Promise<Transport> {
  const { request, Agent } = protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = new Agent({
    keepAlive: true,
    maxSockets: cloudConnections,
    maxFreeSockets: cloudConnections,
    scheduling: "lifo",
    timeout: idleMs,
  });
  return { request, agent };
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
    let sent = false;
    const timer = setTimeout(() => req.destroy(new Error(`none in ${answerMs} ms`)), answerMs);
    req.once("socket", (socket) => {
      // An instance that was frozen between requests finds its connections older than any timer says.
      if (isStale(socket)) {
        req.destroy(new Error("the connection was too old"));
        return;
      }
      if (socket.connecting) socket.once("connect", () => (sent = true));
      else sent = true;
      write(req, body);
    });
    req.once("response", (res) => {
      clearTimeout(timer);
      req.setTimeout(stallMs, () => req.destroy(new Error(`nothing came for ${stallMs} ms`)));
      const { socket } = res;
      res.once("end", () => usedAt.set(socket, performance.now()));
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: res });
    });
    req.on("error", (error) => reject(new Unanswered(error, sent)));
    req.once("close", () => clearTimeout(timer));
  });
}

/** Node frames only the bodies of some methods by itself. */
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
