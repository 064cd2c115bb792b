import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { connectionOf, type Progress } from "./connection.ts";

/** Limit: bytes a second below which a client that sends a body counts as stalled. */
const bodyBytesPerSecond = 8 * 1024;

/** How long a client may delay a connection, in milliseconds. */
export interface Patience {
  /** For a body slower than `bodyBytesPerSecond` on average. */
  readonly bodyMs: number;
  /** For a response that the client does not read at all. */
  readonly stalledMs: number;
}

/** Closes connections whose client sends or reads too slowly. Called periodically. */
export function cutSlowClients(connections: ReadonlySet<Socket>, patience: Patience): void {
  const now = performance.now();
  for (const socket of connections) {
    if (sendsTooSlowly(socket, now, patience.bodyMs) || readsNothing(socket, now, patience.stalledMs)) socket.destroy();
  }
}

function sendsTooSlowly(socket: Socket, now: number, bodyMs: number): boolean {
  const connection = connectionOf(socket);
  const req = connection.latest?.req;
  if (req === undefined || req.complete || isUnread(req)) {
    connection.body = undefined;
    if (req?.complete && connection.active === 0) connection.latest = undefined;
    return false;
  }
  const { body } = connection;
  if (body?.of !== req) {
    connection.body = { of: req, bytes: socket.bytesRead, since: now };
    return false;
  }
  const elapsed = now - body.since;
  return elapsed >= bodyMs && (socket.bytesRead - body.bytes) * 1000 < elapsed * bodyBytesPerSecond;
}

/** True while the handler has not started to read the body or pauses it. The client does not cause that delay. */
function isUnread(req: IncomingMessage): boolean {
  return req.readableFlowing !== true;
}

function readsNothing(socket: Socket, now: number, stalledMs: number): boolean {
  const connection = connectionOf(socket);
  if (socket.writableLength === 0) {
    connection.answer = undefined;
    return false;
  }
  // Node counts buffered bytes as written.
  const taken = socket.bytesWritten - socket.writableLength;
  const seen: Progress = connection.answer ?? { of: socket, bytes: taken, since: now };
  connection.answer = seen.bytes === taken ? seen : { of: socket, bytes: taken, since: now };
  return now - connection.answer.since >= stalledMs;
}
