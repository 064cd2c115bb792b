import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionOf } from "./connection.ts";

const lookMs = 20;

/** Milliseconds to wait for the first request on a connection, which may be in flight. */
const firstRequestMs = 1_000;

/** Stops listening and resolves when every connection has ended. After `ceilingMs`, closes the remaining ones. */
export async function drain(server: Server, connections: ReadonlySet<Socket>, ceilingMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.prependListener("request", (_req, res) => void (res.shouldKeepAlive = false));
  for (const socket of connections) {
    closeAfterAnswer(socket);
    tellOfDrain(socket);
  }
  const begin = performance.now();
  const look = setInterval(() => cutIdle(connections, performance.now() - begin), lookMs);
  const ceiling = setTimeout(() => {
    server.closeAllConnections();
    // Node no longer tracks upgraded connections.
    for (const socket of connections) socket.destroy();
  }, ceilingMs);
  await closed;
  // A server that is not listening does not count the connections passed to it.
  await Promise.all([...connections].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  clearInterval(look);
  clearTimeout(ceiling);
}

/** Notifies listeners that the server drains, so endless responses end. */
function tellOfDrain(socket: Socket): void {
  const connection = connectionOf(socket);
  connection.draining = true;
  for (const listener of connection.onDrain ?? []) listener();
}

/** Adds `Connection: close` to the pending response. */
function closeAfterAnswer(socket: Socket): void {
  const { latest } = connectionOf(socket);
  if (latest !== undefined && !latest.headersSent) latest.shouldKeepAlive = false;
}

/**
 * Closes connections that were idle both at this check and at the previous one: a response may still be in flight when
 * its connection first looks idle. A connection without a request gets more time: clients cannot retry the first
 * request on a connection they have just opened.
 */
function cutIdle(connections: ReadonlySet<Socket>, drainingMs: number): void {
  for (const socket of connections) {
    const connection = connectionOf(socket);
    if (connection.latest === undefined && drainingMs < firstRequestMs) continue;
    const wasIdle = connection.idle;
    connection.idle = connection.active === 0 && socket.writableLength === 0;
    if (wasIdle && connection.idle) socket.destroy();
  }
}
