import { WebSocketServer } from "ws";
import { socketMessageBytes } from "../../lib/limits.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";
import { OpenConnection } from "./connection.ts";

/** What reads and writes frames, by the bytes that a message may have. Nothing is compressed: a small frame could stand for a large message. */
const servers = new Map<number, WebSocketServer>();

function serverFor(maxPayload: number): WebSocketServer {
  const known = servers.get(maxPayload);
  if (known !== undefined) return known;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload,
  });
  servers.set(maxPayload, server);
  return server;
}

/** Takes a request's connection over, and hands it to `run` as one of messages. */
export function accept(request: Request, endpoint: BundledEndpoint, run: (connection: OpenConnection) => void): void {
  const { exchange } = request;
  const taken = exchange.isOpen ? exchange.takeOver?.() : undefined;
  if (taken === undefined) return request.finish();
  const names = ["upgrade", "sec-websocket-key", "sec-websocket-version"] as const;
  const headers = Object.fromEntries(names.map((name) => [name, exchange.header(name)]));
  const asked = { method: exchange.method, url: exchange.target, headers };
  serverFor(endpoint.maxBody ?? socketMessageBytes).handleUpgrade(
    asked as unknown as Parameters<WebSocketServer["handleUpgrade"]>[0],
    taken.stream,
    Buffer.from(taken.head),
    (socket) => run(new OpenConnection(socket, request, endpoint)),
  );
}
