import type { Duplex } from "node:stream";

/** Alternating names and values. The value of a repeated header is a list. */
export type RawHeaders = (string | number | readonly string[])[];

/** Receives a request's body chunk by chunk. */
export interface BodyReader {
  take(chunk: Buffer): void;
  /** Ends the body. `whole` is false if the client disconnected before the body was complete. */
  end(whole: boolean): void;
}

export interface Headers {
  /** Returns the value of a header by its lower-case name. Repeated headers are joined. */
  header(name: string): string | undefined;
}

export interface Body {
  /** Passes the body to a reader, which replaces the previous one. */
  read(reader: BodyReader): void;
  pause(): void;
  resume(): void;
  /** False once the client has disconnected. */
  readonly isOpen: boolean;
}

export interface Outgoing {
  readonly isOpen: boolean;
  /** True once the head of the response has been written and can no longer change. */
  readonly hasBegun: boolean;
  /** Sends a complete response. Then closes the connection if the client is still sending a body that is not read. */
  send(status: number, headers: RawHeaders, body: string | Uint8Array, encoding?: "latin1" | "utf8"): void;
  /** Writes the head of a response whose body follows. The head is sent with the first chunk. */
  begin(status: number, headers: RawHeaders): void;
  /** Sends the head before the body. */
  flush(): void;
  /** Returns false if the client does not keep up. The caller should then wait with `onceDrained`. */
  write(bytes: Uint8Array | string): boolean;
  /** Calls the listener once, when more can be written or nothing can be written anymore. */
  onceDrained(listener: () => void): void;
  end(): void;
  /** Closes the connection, so the client sees that the response is incomplete. */
  cut(): void;
  /** Calls the listener once the client has disconnected, unless `offGone` removes it. */
  onGone(listener: () => void): void;
  offGone(listener: () => void): void;
}

/** A connection that no longer speaks HTTP. */
export interface TakenOver {
  readonly stream: Duplex;
  /** Bytes already read from the connection. */
  readonly head: Uint8Array;
}

/**
 * A request and its response, independent of the HTTP server. The runtime uses transports only through this interface.
 */
export interface Exchange extends Headers, Body, Outgoing {
  readonly method: string;
  /** The request target as sent: a path with its query, a URL, or `*`. */
  readonly target: string;
  /** The HTTP version, such as `1.1`. */
  readonly version: string;
  /** Alternating names and values, as sent. */
  readonly rawHeaders: readonly string[];
  readonly address: string;
  /** True if another process of the application forwards a client's request and has proven its identity. */
  readonly isForwarded?: true;
  /** True if the client waits for 100-continue before it sends its body. */
  readonly waitsToSend: boolean;
  /** Sends 100-continue. */
  ask(): void;
  /** True once the complete body has arrived. */
  readonly isComplete: boolean;
  readonly status: number;
  /**
   * Calls the listener once, when the response was sent or the client disconnected. Returns a function that removes the
   * listener.
   */
  onceOver(listener: () => void): () => void;
  /** Calls the listener once the server stops, or immediately if it is stopping. Returns a function that removes it. */
  onDrain(listener: () => void): () => void;
  closeAfter(): void;
  /** Ignores all further data on the connection, because the start of the next request cannot be determined. */
  refuseRest(): void;
  /** Takes over the connection of a WebSocket request; absent for other requests. */
  readonly takeOver?: () => TakenOver;
  release(): void;
}
