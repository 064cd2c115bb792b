import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionOf } from "./connection.ts";

const lookMs = 20;

/** Stops listening and resolves when every connection has ended; those that have not after `ceilingMs` are cut. */
export async function drain(server: Server, connections: ReadonlySet<Socket>, ceilingMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.prependListener("request", (_req, res) => void (res.shouldKeepAlive = false));
  for (const socket of connections) {
    closeAfterAnswer(socket);
    tellOfDrain(socket);
  }
  const look = setInterval(() => cutIdle(connections), lookMs);
  const ceiling = setTimeout(() => {
    server.closeAllConnections();
    // Those that are none of HTTP any more node has forgotten.
    for (const socket of connections) socket.destroy();
  }, ceilingMs);
  await ended;
  // A server that does not listen itself does not count the connections that it was handed.
  await Promise.all([...connections].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  clearInterval(look);
  clearTimeout(ceiling);
}

/** What is sent without an end learns that it has one now. */
function tellOfDrain(socket: Socket): void {
  const connection = connectionOf(socket);
  connection.draining = true;
  for (const listener of connection.onDrain ?? []) listener();
}

/** Tells the client with the answer it waits for that the connection takes no further request. */
function closeAfterAnswer(socket: Socket): void {
  const { latest } = connectionOf(socket);
  if (latest !== undefined && !latest.headersSent) latest.shouldKeepAlive = false;
}

/** Cuts connections that were idle at this look and the one before: an answer may be on its way out in between. */
function cutIdle(connections: ReadonlySet<Socket>): void {
  for (const socket of connections) {
    const connection = connectionOf(socket);
    const wasIdle = connection.idle;
    connection.idle = connection.active === 0 && socket.writableLength === 0;
    if (wasIdle && connection.idle) socket.destroy();
  }
}
