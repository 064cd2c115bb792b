import { Agent, request as outgoing, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { remoteConnections, remoteIdleMs, shutdownMs } from "../lib/limits.ts";
import { upgradeHeaders } from "../runtime/exchange/upgrade-headers.ts";
import { endToEnd } from "../runtime/exchange/end-to-end.ts";
import { sendHead } from "../runtime/exchange/node/send-head.ts";
import type { Exchange, RawHeaders, TakenOver } from "../runtime/exchange/exchange.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { listening, type ProcessOf } from "./listening.ts";
import { connected, type VisitorOf } from "./visitor.ts";

export interface ForwarderOptions {
  readonly dress?: Dress;
  readonly processOf: ProcessOf;
  /** The header that shows a service who hands a request on. */
  readonly signature: (service: string) => readonly [name: string, value: string];
  /** Who is connected by default. */
  readonly visitorOf?: VisitorOf;
  /** What a visitor is told of a service that does not run. */
  readonly unavailable: (service: string) => string;
}

/** Which service a request goes to. */
export interface ForwardedTo {
  readonly service: string;
  /** The methods that the answer names instead of the service's own. */
  readonly allow?: readonly string[];
  /** What it is sent in the place of the body, which was read. */
  readonly body?: Buffer;
}

/** Changes the headers with which a request goes to a service: names and values in turn. */
export type Dress = (service: string, headers: readonly string[]) => readonly string[];

/** Headers that the front says itself. */
const ownHeaders: ReadonlySet<string> = new Set(["x-forwarded-for", "x-forwarded-proto", "x-fw-forwarded"]);

/** Also those that tell how long the body is. */
const framedHeaders: ReadonlySet<string> = new Set([...ownHeaders, "content-length", "transfer-encoding"]);

/** Milliseconds between two tries. */
const pauseMs = 20;

/** How often the connection is tried again: one that an error stops takes nothing while it drains, and is started after that. */
const mostTries = Math.ceil(shutdownMs / pauseMs);

/** Hands requests to services, as they came in. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  /** Connections that are kept for the next request. Only those that need none of their own wait for visitors to end. */
  readonly #agent: Agent = new Agent({
    keepAlive: true,
    maxFreeSockets: remoteConnections,
    scheduling: "lifo",
    timeout: remoteIdleMs,
  });

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Resolves when the answer is over. A service that is being started has what was not sent yet as soon as it listens. */
  async forward(request: Request, to: ForwardedTo): Promise<void> {
    const { service } = to;
    const { processOf, unavailable } = this.#options;
    for (let tries = 0; tries < mostTries; tries++) {
      const process = await listening(service, processOf);
      if (process === undefined || process.hasFailed) break;
      if (await process.use(() => this.#exchange(request, to, process.port))) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    refuse(request, { status: 503, message: unavailable(service) });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves when the answer is over, whichever end it takes; with false where the service has nothing of the request. */
  #exchange(request: Request, to: ForwardedTo, port: number): Promise<boolean> {
    const { exchange } = request;
    return new Promise((resolve) => {
      if (!exchange.isOpen) return resolve(true);
      const sent = outgoing({
        host: "127.0.0.1",
        port,
        method: exchange.method,
        path: targetOf(request),
        headers: this.#headers(exchange, to),
        // What changes something has a connection of its own: of one that is kept it could not be told whether the service had it.
        agent: isRepeatable(exchange) && exchange.takeOver === undefined ? this.#agent : false,
      });
      const goOn = exchange.onceOver(() => {
        sent.destroy();
        resolve(true);
      });
      if (to.body !== undefined) sent.end(to.body);
      else sendBody(exchange, sent);
      let answered = false;
      sent.once("response", (answer) => {
        answered = true;
        sendAnswer(exchange, answer, to.allow);
        if (answer.headers["content-type"] === "text/event-stream") endWithFront(exchange, sent, answer);
        answer.once("end", () => (sent.writableFinished ? undefined : sent.destroy()));
      });
      sent.once("upgrade", (answer: IncomingMessage, stream: Socket, head: Buffer) => {
        answered = true;
        goOn();
        joinConnections(exchange, answer, { stream, head });
        // The service tells its visitors when it stops: nobody waits for them to go.
        resolve(true);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (answered || !exchange.isOpen) return;
        if (error.code === "ECONNREFUSED" || (sent.reusedSocket && isRepeatable(exchange))) {
          goOn();
          return resolve(false);
        }
        // Who is still sending is cut, as by the service itself, which may have found it too slow.
        if (hasBody(exchange) && !exchange.isComplete) return exchange.cut();
        refuse(request, { status: 502, message: `the service ${to.service} does not answer` });
      });
    });
  }

  /** As they came in, repeated ones too: what a service reads is what a visitor wrote. */
  #headers(exchange: Exchange, { service, body }: ForwardedTo): string[] {
    const replaced = body === undefined ? ownHeaders : framedHeaders;
    const headers = endToEnd(exchange.rawHeaders).filter(
      (_, i, all) => !replaced.has((all[i - (i % 2)] ?? "").toLowerCase()),
    );
    if (exchange.header("host") === undefined) headers.push("Host", "localhost");
    const before = exchange.header("x-forwarded-for");
    const { signature, visitorOf = connected, dress } = this.#options;
    const { address, scheme } = visitorOf(exchange);
    headers.push(
      "X-Forwarded-For",
      before === undefined ? address : `${before}, ${address}`,
      "X-Forwarded-Proto",
      scheme,
      ...signature(service),
      ...(exchange.takeOver === undefined
        ? ["Connection", "keep-alive"]
        : ["Connection", "Upgrade", "Upgrade", "websocket"]),
    );
    if (body !== undefined) headers.push("Content-Length", String(body.length));
    // Else node announces chunks for a method that could have a body.
    else if (!hasBody(exchange) && !isRead(exchange)) headers.push("Content-Length", "0");
    return [...(dress?.(service, headers) ?? headers)];
  }
}

/** A request whose target is a URL goes on as its path, as every other one comes. */
function targetOf({ exchange: { target }, path, query }: Request): string {
  return target.startsWith("/") ? target : query === "" ? path : `${path}?${query}`;
}

/** True where no harm is done when a service has it twice, and nothing of it is gone after the first time. */
function isRepeatable(exchange: Exchange): boolean {
  return isRead(exchange) && !hasBody(exchange);
}

function isRead({ method }: Exchange): boolean {
  return method === "GET" || method === "HEAD";
}

function hasBody(exchange: Exchange): boolean {
  return exchange.header("content-length") !== undefined || exchange.header("transfer-encoding") !== undefined;
}

/** The head goes at once, the body as it comes; where the client waits to be asked for it, when the service asks. */
function sendBody(exchange: Exchange, sent: ClientRequest): void {
  if (!hasBody(exchange)) return void sent.end();
  sendHead(sent);
  const hand = (): void =>
    exchange.read({
      take(chunk) {
        if (sent.write(chunk)) return;
        exchange.pause();
        sent.once("drain", () => exchange.resume());
      },
      end: (whole) => void (whole ? sent.end() : sent.destroy()),
    });
  if (!exchange.waitsToSend)
    return void sent.once("socket", (socket) => (socket.connecting ? socket.once("connect", hand) : hand()));
  sent.once("continue", () => {
    exchange.ask();
    hand();
  });
}

function sendAnswer(exchange: Exchange, answer: IncomingMessage, allow: readonly string[] | undefined): void {
  const headers = endToEnd(answer.rawHeaders);
  const named = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === "allow");
  if (allow !== undefined && named >= 0) headers[named + 1] = allow.join(", ");
  if (answer.statusCode === 426) headers.push(...upgradeHeaders.flat());
  // The service closes where it has not read what the client still sends.
  if (answer.headers.connection === "close") exchange.closeAfter();
  exchange.begin(answer.statusCode ?? 502, withoutFraming(headers));
  exchange.flush();
  answer.on("data", (chunk: Buffer) => {
    if (exchange.write(chunk)) return;
    answer.pause();
    exchange.onceDrained(() => answer.resume());
  });
  answer.on("end", () => exchange.end());
  answer.on("error", () => exchange.cut());
}

/** Hands on what either end sends from now on, as fast as the other takes it. */
function joinConnections(exchange: Exchange, answer: IncomingMessage, service: TakenOver): void {
  const visitor = exchange.takeOver?.();
  if (visitor === undefined) return void service.stream.destroy();
  const { rawHeaders } = answer;
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
  visitor.stream.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
  visitor.stream.write(service.head);
  service.stream.write(visitor.head);
  pipeline(visitor.stream, service.stream, visitor.stream, () => {
    visitor.stream.destroy();
    service.stream.destroy();
  });
}

/** What has no end of its own has one when the front stops: the service sees that its client has gone. */
function endWithFront(exchange: Exchange, sent: ClientRequest, answer: IncomingMessage): void {
  const off = exchange.onDrain(() => {
    answer.removeAllListeners();
    answer.on("error", () => {});
    sent.destroy();
    exchange.end();
  });
  exchange.onceOver(off);
}

/** Chunks are made anew for each client, and for one of HTTP/1.0 there are none. */
function withoutFraming(headers: readonly string[]): RawHeaders {
  return headers.filter((_, i) => (headers[i - (i % 2)] ?? "").toLowerCase() !== "transfer-encoding");
}
