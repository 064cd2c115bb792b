import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { usesSockets } from "../../capabilities.ts";
import type { TakenOver } from "../exchange.ts";
import { afterResponses, connectionOf } from "./connection.ts";
import { NodeExchange } from "./node-exchange.ts";

/** A WebSocket request, whose connection can be taken over. */
class UpgradeExchange extends NodeExchange {
  readonly #head: Buffer;
  #isTaken = false;

  constructor(req: IncomingMessage, res: ServerResponse, head: Buffer) {
    super(req, res, false);
    this.#head = head;
  }

  override get hasBegun(): boolean {
    return this.#isTaken || super.hasBegun;
  }

  override get status(): number {
    return this.#isTaken ? 101 : super.status;
  }

  readonly takeOver = (): TakenOver => {
    const { socket } = this.req;
    this.#isTaken = true;
    this.res.detachSocket(socket);
    return { stream: socket, head: this.#head };
  };
}

/** True for a WebSocket handshake (RFC 6455). */
function isWebSocket({ method, httpVersion, headers }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return (
    method === "GET" &&
    httpVersion === "1.1" &&
    !hasBody &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    /^[+/0-9a-z]{22}==$/i.test(headers["sec-websocket-key"] ?? "")
  );
}

/**
 * Passes WebSocket requests to `handle` after the responses to earlier requests on the connection. A server may ignore
 * an Upgrade header for other protocols, but Node has stopped parsing and a body may follow. Such requests are
 * therefore parsed again without the header.
 */
export function onUpgrade(server: Server, handle: (exchange: NodeExchange) => void): void {
  server.on("upgrade", (req: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket;
    socket.on("error", () => socket.destroy());
    afterResponses(socket, () => {
      // The response to the refused request closes the connection.
      if (connectionOf(socket).hasRefused) return;
      // Clear the keep-alive timeout that the connection's last response has set.
      socket.setTimeout(0);
      if (isWebSocket(req)) return handle(exchangeOf(req, socket, head));
      socket.unshift(Buffer.concat([headWithout(req), head]));
      server.emit("connection", socket);
    });
  });
}

/** Creates the exchange of a WebSocket request. A service without sockets treats it like any other request. */
function exchangeOf(req: IncomingMessage, socket: Socket, head: Buffer): NodeExchange {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  // Node no longer manages the connection, so fw closes it after an HTTP response.
  res.once("finish", () => socket.destroySoon());
  return usesSockets ? new UpgradeExchange(req, res, head) : new NodeExchange(req, res, false);
}

/** Returns the head of a request without its Upgrade header. */
function headWithout({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
