import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const CONNECTION = Symbol("fw.connection");

/** The state of a connection that its requests share. */
export interface Connection {
  active: number;
  latest: ServerResponse | undefined;
  /** True once a malformed request was refused. Further data on the connection cannot be trusted. */
  hasRefused: boolean;
  /** True if the connection was idle at the drain's last check. */
  idle: boolean;
  /** True once the server stops. */
  draining: boolean;
  /** Listeners to call when the server drains, if any. */
  onDrain: Set<() => void> | undefined;
  /** The progress of the current body and response, for detecting slow clients. */
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

interface HttpSocket extends Socket {
  /** The response that Node is sending on this connection, if any. It has no public name. */
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Calls `then` once the responses to a connection's earlier requests are sent, or immediately if there are none. Does
 * not call it if the connection closes first. For requests after which Node has stopped parsing: Node then no longer
 * forwards the connection's drain events.
 */
export function afterResponses(socket: HttpSocket, then: () => void): void {
  const passOn = (): void => void socket._httpMessage?.emit("drain");
  socket.on("drain", passOn);
  const proceed = (): void => {
    const response = socket._httpMessage;
    // Node assigns the next response to the connection before it closes the current one.
    if (response) return void response.once("close", proceed);
    socket.off("drain", passOn);
    if (!socket.destroyed && socket.writable) then();
  };
  proceed();
}
