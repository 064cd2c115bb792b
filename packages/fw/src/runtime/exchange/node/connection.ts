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
  /** True once the server stops. */
  draining: boolean;
  /** Who is told when it does; undefined where nobody is. */
  onDrain: Set<() => void> | undefined;
  /** The body that is coming in, and the answer that waits to be read, as slow clients are looked for. */
  body: Progress | undefined;
  answer: Progress | undefined;
}

/** Bytes of something, as they were counted at a time. */
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
    refused: false,
    idle: false,
    draining: false,
    onDrain: undefined,
    body: undefined,
    answer: undefined,
  };
}
