import type { SignedIn } from "./signed-in.ts";

/** How a test opens a socket. */
export interface TestSocketOptions {
  /** Whose session it begins with. */
  readonly as?: SignedIn;
  /** Headers beside those of its request, such as the `Origin` of another page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a connection ended. */
export interface SocketEnd {
  /** As of a close frame: 1000 where all is well, 4403 where the handler threw `Errorf(403, …)`; 1006 where it was cut. */
  readonly code: number;
  readonly reason: string;
}

/**
 * A visitor's end of a socket. The loop over what the handler sends ends with 1000, and throws an error with `code` and `reason` after any
 * other end.
 */
export interface TestSocket<In, Out> extends AsyncIterable<Out>, AsyncDisposable {
  /** Sends the handler a message. */
  send(message: In): Promise<void>;
  /** The next message of the handler; rejects with an error that has `code` and `reason` where there is none any more. */
  receive(): Promise<Out>;
  /** Ends the connection and resolves when it has ended. `await using` calls it. */
  close(code?: number, reason?: string): Promise<SocketEnd>;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<SocketEnd>;
}
