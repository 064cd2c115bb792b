import { Agent, request as outgoing, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { remoteConnections, remoteIdleMs } from "../lib/limits.ts";
import { upgradeHeaders } from "../runtime/exchange/upgrade-headers.ts";
import { endToEnd } from "../runtime/exchange/end-to-end.ts";
import { sendHead } from "../runtime/exchange/node/send-head.ts";
import type { Exchange, RawHeaders, TakenOver } from "../runtime/exchange/exchange.ts";
import type { Request } from "../runtime/request.ts";
import type { ClientOf } from "./client-address.ts";
import {
  announcesBody,
  attemptUntilOver,
  clientHeaders,
  frontHeaders,
  isRead,
  isRepeatable,
  sayNoAnswer,
  type ForwardedTo,
  type Forwards,
  type Outcome,
} from "./forwarding.ts";
import type { PoolOf } from "./listening.ts";

export interface ForwarderOptions {
  readonly dress?: Dress;
  readonly poolOf: PoolOf;
  /** Returns a header that proves to a service that this process forwards the request. */
  readonly signature: (service: string) => readonly [name: string, value: string];
  /** Determines the client; by default, the other end of the connection. */
  readonly visitorOf?: ClientOf;
  /** Returns the message to clients while a service is not running. */
  readonly unavailable: (service: string) => string;
}

/** Changes the headers of a forwarded request, given as a flat list of names and values. */
export type Dress = (service: string, headers: readonly string[]) => readonly string[];

interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** The headers to replace with the body: `frontHeaders`, and the body's length and encoding. */
const framedHeaders: ReadonlySet<string> = new Set([...frontHeaders, "content-length", "transfer-encoding"]);

/** The longest pause between two attempts, in milliseconds: a service on another host may be down for long. */
const pauseCeilingMs = 320;

/**
 * Milliseconds to wait for a connection to a service on another host, which may have disappeared. TCP retransmits a
 * lost packet after one second.
 */
const connectMs = 2_500;

/**
 * Forwards requests over HTTP: to services of other machines or of the rehearsed cloud, and calls from other machines
 * to services of this one.
 */
export class Forwarder implements Forwards {
  readonly #options: ForwarderOptions;
  /**
   * Keep-alive connections for requests that are safe to retry. Any other request, such as an upgrade, gets its own.
   */
  readonly #agent: Agent = new Agent({
    keepAlive: true,
    maxFreeSockets: remoteConnections,
    scheduling: "lifo",
    timeout: remoteIdleMs,
  });

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the response has ended or the connection is upgraded. Waits briefly for a service that is restarting.
   */
  async forward(request: Request, to: ForwardedTo): Promise<void> {
    const { poolOf, unavailable } = this.#options;
    await attemptUntilOver(request, { service: to.service, poolOf, unavailable, pauseCeilingMs }, (pool) =>
      pool.use((port) => this.#exchange(request, to, { host: pool.host ?? "127.0.0.1", port })),
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(request: Request, to: ForwardedTo, address: SocketAddress): Promise<Outcome> {
    const { exchange } = request;
    return new Promise((resolve) => {
      if (!exchange.isOpen) return resolve("over");
      const outgoingRequest = outgoing({
        ...address,
        method: exchange.method,
        path: targetOf(request),
        headers: this.#headers(exchange, to),
        // Other requests use a new connection, because the failure of a reused one does not show whether the service
        // received the request.
        agent: isRepeatable(exchange) && exchange.takeOver === undefined ? this.#agent : false,
      });
      const stopWaiting = exchange.onceOver(() => {
        outgoingRequest.destroy();
        resolve("over");
      });
      // Nothing is sent before the connection is established, whatever the error.
      let isConnected = false;
      const late = setTimeout(() => outgoingRequest.destroy(new Error("no connection in time")), connectMs);
      outgoingRequest.once("close", () => clearTimeout(late));
      onConnection(outgoingRequest, () => {
        isConnected = true;
        clearTimeout(late);
      });
      if (to.body !== undefined) outgoingRequest.end(to.body);
      else sendBody(exchange, outgoingRequest);
      let hasResponse = false;
      // After a 101 that it did not request, a client would wait for another response. Node throws for a status below
      // 100.
      const refuseAnswer = (): void => {
        outgoingRequest.destroy();
        sayNoAnswer(request, to.service);
      };
      outgoingRequest.once("response", (answer) => {
        hasResponse = true;
        if (Number(answer.statusCode) < 200) return refuseAnswer();
        sendAnswer(exchange, answer, to.allow);
        if (answer.headers["content-type"] === "text/event-stream") endWithFront(exchange, outgoingRequest, answer);
        answer.once("end", () => (outgoingRequest.writableFinished ? undefined : outgoingRequest.destroy()));
      });
      outgoingRequest.once("upgrade", (answer: IncomingMessage, stream: Socket, head: Buffer) => {
        hasResponse = true;
        const client = exchange.takeOver?.();
        if (client === undefined) {
          stream.destroy();
          return refuseAnswer();
        }
        stopWaiting();
        joinConnections(client, answer, { stream, head });
        // Nothing needs to wait for upgraded connections: a service that stops notifies its clients itself.
        resolve("over");
      });
      outgoingRequest.on("error", () => {
        if (hasResponse || !exchange.isOpen) return;
        stopWaiting();
        resolve(!isConnected || outgoingRequest.reusedSocket ? "not received" : "cut");
      });
    });
  }

  /** Returns the headers to forward: the client's, including repeated ones, and the front's. */
  #headers(exchange: Exchange, { service, body }: ForwardedTo): string[] {
    const headers = endToEnd(exchange.rawHeaders, body === undefined ? frontHeaders : framedHeaders);
    if (exchange.header("host") === undefined) headers.push("Host", "localhost");
    const { signature, visitorOf, dress } = this.#options;
    headers.push(
      ...clientHeaders(exchange, visitorOf),
      ...signature(service),
      ...(exchange.takeOver === undefined
        ? ["Connection", "keep-alive"]
        : ["Connection", "Upgrade", "Upgrade", "websocket"]),
    );
    if (body !== undefined) headers.push("Content-Length", String(body.length));
    // Without this, Node would announce a chunked body.
    else if (!isFramed(exchange) && !isRead(exchange)) headers.push("Content-Length", "0");
    return [...(dress?.(service, headers) ?? headers)];
  }
}

/** Calls `then` once a request has a connection. */
function onConnection(outgoingRequest: ClientRequest, then: () => void): void {
  outgoingRequest.once("socket", (socket) => (socket.connecting ? socket.once("connect", then) : then()));
}

/** Converts a target in absolute form to a path. */
function targetOf({ exchange: { target }, path, query }: Request): string {
  return target.startsWith("/") ? target : query === "" ? path : `${path}?${query}`;
}

function isFramed(exchange: Exchange): boolean {
  return exchange.header("content-length") !== undefined || exchange.header("transfer-encoding") !== undefined;
}

/**
 * Sends the head immediately and the body as it arrives. If the client expects `100 Continue`, first waits for the
 * service's.
 */
function sendBody(exchange: Exchange, outgoingRequest: ClientRequest): void {
  if (!announcesBody(exchange)) return void outgoingRequest.end();
  sendHead(outgoingRequest);
  const hand = (): void =>
    exchange.read({
      take(chunk) {
        if (outgoingRequest.write(chunk)) return;
        exchange.pause();
        outgoingRequest.once("drain", () => exchange.resume());
      },
      end: (whole) => void (whole ? outgoingRequest.end() : outgoingRequest.destroy()),
    });
  if (!exchange.waitsToSend) return onConnection(outgoingRequest, hand);
  outgoingRequest.once("continue", () => {
    exchange.ask();
    hand();
  });
}

function sendAnswer(exchange: Exchange, answer: IncomingMessage, allow: readonly string[] | undefined): void {
  const headers = endToEnd(answer.rawHeaders);
  const allowIndex = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === "allow");
  if (allow !== undefined && allowIndex >= 0) headers[allowIndex + 1] = allow.join(", ");
  if (answer.statusCode === 426) headers.push(...upgradeHeaders.flat());
  // The service closes the connection if it has not read the whole body.
  if (answer.headers.connection === "close") exchange.closeAfter();
  exchange.begin(answer.statusCode ?? 502, withoutFraming(headers));
  let hasBody = false;
  answer.on("data", (chunk: Buffer) => {
    hasBody = true;
    if (exchange.write(chunk)) return;
    answer.pause();
    exchange.onceDrained(() => answer.resume());
  });
  answer.on("end", () => exchange.end());
  answer.on("error", () => exchange.cut());
  // A body that arrived with the head is emitted in a tick that the listener above queued, and is written together with
  // the head. Otherwise, send the head without waiting for the body.
  process.nextTick(() => {
    if (!hasBody) exchange.flush();
  });
}

/** Joins the connections of a client and a service after an upgrade, in both directions with backpressure. */
function joinConnections(visitor: TakenOver, answer: IncomingMessage, service: TakenOver): void {
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

/** Ends an endless response when the front stops. To the service, this looks like a client that disconnects. */
function endWithFront(exchange: Exchange, outgoingRequest: ClientRequest, answer: IncomingMessage): void {
  const off = exchange.onDrain(() => {
    answer.removeAllListeners();
    answer.on("error", () => {});
    outgoingRequest.destroy();
    exchange.end();
  });
  exchange.onceOver(off);
}

/** Removes Transfer-Encoding: Node chooses the encoding for each client, because HTTP/1.0 has no chunks. */
function withoutFraming(headers: readonly string[]): RawHeaders {
  return headers.filter((_, i) => (headers[i - (i % 2)] ?? "").toLowerCase() !== "transfer-encoding");
}
