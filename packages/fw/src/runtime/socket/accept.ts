import { WebSocketServer } from "ws";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";
import { OpenConnection } from "./connection.ts";
import { watchSession } from "./session-watch.ts";

/** Limit: bytes of a message to a socket, unless its maxBody is set. */
const socketMessageBytes = 64 * 1024;

/**
 * WebSocket servers by maximum message size. Compression is off because a small frame could expand to a large message.
 */
const servers = new Map<number, WebSocketServer>();

function serverFor(maxPayload: number): WebSocketServer {
  const existing = servers.get(maxPayload);
  if (existing !== undefined) return existing;
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

/** Takes over the connection of a request and passes it to `run` as a WebSocket. */
export function accept(
  request: Request,
  endpoint: BundledEndpoint,
  input: unknown,
  run: (connection: OpenConnection) => void,
): void {
  const { exchange } = request;
  const handover = exchange.isOpen ? exchange.takeOver?.() : undefined;
  if (handover === undefined) return request.finish();
  request.markStarted();
  const names = ["upgrade", "sec-websocket-key", "sec-websocket-version"] as const;
  const headers = Object.fromEntries(names.map((name) => [name, exchange.header(name)]));
  const upgrade = { method: exchange.method, url: exchange.target, headers };
  serverFor(endpoint.maxBody ?? socketMessageBytes).handleUpgrade(
    upgrade as unknown as Parameters<WebSocketServer["handleUpgrade"]>[0],
    handover.stream,
    Buffer.from(handover.head),
    (socket) => {
      const connection = new OpenConnection(socket, request, endpoint);
      connection.onceClosed(watchSession({ request, endpoint, input, end: (error) => connection.fail(error) }));
      run(connection);
    },
  );
}
