import type { SignedIn } from "./signed-in.ts";

/** Options for opening a socket. */
export interface TestSocketOptions {
  /** The user whose session the opening request carries. */
  readonly as?: SignedIn;
  /** Additional headers, such as the `Origin` of another page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The end of a connection. */
export interface SocketEnd {
  /**
   * The code of the close frame, such as 1000 for a normal end or 4403 if the handler threw `Errorf(403, …)`; 1006 if
   * the connection was cut.
   */
  readonly code: number;
  readonly reason: string;
}

/**
 * The client's end of a socket. A loop over its messages ends after code 1000. After any other code, it throws an error
 * with `code` and `reason`.
 */
export interface TestSocket<In, Out> extends AsyncIterable<Out>, AsyncDisposable {
  /** Sends a message to the handler. */
  send(message: In): Promise<void>;
  /** Resolves with the handler's next message. After the end, rejects with an error that has `code` and `reason`. */
  receive(): Promise<Out>;
  /** Closes the connection and resolves when it has ended. Called by `await using`. */
  close(code?: number, reason?: string): Promise<SocketEnd>;
  /** Resolves when either side has ended the connection. */
  readonly closed: Promise<SocketEnd>;
}
