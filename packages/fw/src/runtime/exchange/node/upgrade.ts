import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import type { TakenOver } from "../exchange.ts";
import { connectionOf } from "./connection.ts";
import { NodeExchange } from "./node-exchange.ts";

/** A request for a WebSocket, whose connection whoever answers it can take over. */
class UpgradeExchange extends NodeExchange {
  readonly #head: Buffer;
  #isTaken = false;

  constructor(req: IncomingMessage, socket: Socket, head: Buffer) {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    // Node has let go of the connection, which ends with an answer that is none of messages.
    res.once("finish", () => socket.destroySoon());
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

/** True for a request that asks for a WebSocket as RFC 6455 has it. */
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
 * Hands requests that ask for a WebSocket to `handle`. One that asks for another protocol is read again without its wish, as a server is
 * free to do: node has stopped reading, and a body may still come.
 */
export function onUpgrade(server: Server, handle: (exchange: NodeExchange) => void): void {
  server.on("upgrade", (req: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket;
    socket.on("error", () => socket.destroy());
    const connection = connectionOf(socket);
    // An answer to an earlier request may still be on its way.
    if (connection.refused || connection.active > 0) return void socket.destroy();
    if (isWebSocket(req)) return handle(new UpgradeExchange(req, socket, head));
    socket.unshift(Buffer.concat([headWithout(req), head]));
    server.emit("connection", socket);
  });
}

/** The head of a request as it was written, without what it asks of the protocol. */
function headWithout({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
