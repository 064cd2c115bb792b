import type { Socket } from "node:net";
import { connectionOf } from "./connection.ts";

/** Cuts connections whose client has not taken a byte of what is waiting for it in `stalledMs`. */
export function cutUnread(connections: ReadonlySet<Socket>, stalledMs: number): void {
  const now = performance.now();
  for (const socket of connections) {
    const connection = connectionOf(socket);
    const { bytesWritten, writableLength } = socket;
    // What node counts as written includes what it still holds.
    const taken = bytesWritten - writableLength;
    if (writableLength === 0 || taken !== connection.taken) {
      connection.taken = taken;
      connection.takenAt = now;
    } else if (now - connection.takenAt >= stalledMs) socket.destroy();
  }
}
