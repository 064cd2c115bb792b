import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const CONNECTION = Symbol("fw.connection");

/** The state of a connection apart from its requests. */
export interface Connection {
  active: number;
  latest: ServerResponse | undefined;
  /** True once a malformed request was refused, because further data on the connection cannot be trusted. */
  hasRefused: boolean;
  /** True if the connection was idle at the drain's last check. */
  idle: boolean;
  /** True once the server stops. */
  draining: boolean;
  /** Listeners for the drain, if any. */
  onDrain: Set<() => void> | undefined;
  /** The progress of the current body and response, for the check for slow clients. */
  body: Progress | undefined;
  answer: Progress | undefined;
}

/** A byte count at a point in time. */
export interface Progress {
  readonly of: object;
  readonly bytes: number;
  /** Milliseconds, on the clock of `performance.now`. */
  readonly since: number;
}

interface TrackedSocket extends Socket {
  [CONNECTION]?: Connection;
}

export function connectionOf(socket: Socket): Connection {
  return ((socket as TrackedSocket)[CONNECTION] ??= newConnection());
}

function newConnection(): Connection {
  return {
    active: 0,
    latest: undefined,
    hasRefused: false,
    idle: false,
    draining: false,
    onDrain: undefined,
    body: undefined,
    answer: undefined,
  };
}
