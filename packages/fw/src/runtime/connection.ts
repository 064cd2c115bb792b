import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const CONNECTION = Symbol("fw.connection");

/** What is known of one connection besides its requests. */
export interface Connection {
  /** Requests that are being answered. */
  active: number;
  /** The response that was begun last. */
  latest: ServerResponse | undefined;
  /** True once a request was refused as malformed: nothing that follows on the connection can be trusted. */
  refused: boolean;
  /** True when the drain found it idle at its last look. */
  idle: boolean;
  /** Bytes that the client had taken when they were last seen to have become more, and when that was. */
  taken: number;
  takenAt: number;
}

interface TrackedSocket extends Socket {
  [CONNECTION]?: Connection;
}

export function connectionOf(socket: Socket): Connection {
  return ((socket as TrackedSocket)[CONNECTION] ??= newConnection());
}

function newConnection(): Connection {
  return { active: 0, latest: undefined, refused: false, idle: false, taken: 0, takenAt: 0 };
}
