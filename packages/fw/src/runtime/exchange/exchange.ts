import type { Duplex } from "node:stream";

/** Names and values in turn; a header that is sent several times has a list. */
export type RawHeaders = (string | number | readonly string[])[];

/** Takes a request's body as it comes. */
export interface BodyReader {
  take(chunk: Buffer): void;
  /** Nothing more comes: all of it was taken, or the client went away before its end. */
  end(whole: boolean): void;
}

/** The headers of a request. */
export interface Headers {
  /** The value of a header, by its name in lower case; repeated ones joined. */
  header(name: string): string | undefined;
}

/** What a body is read from. */
export interface Body {
  /** Gives the body to a reader, in place of the one that had it before. */
  read(reader: BodyReader): void;
  /** Has no more come for now. */
  pause(): void;
  resume(): void;
  /** False once the client has gone: nobody waits for an answer. */
  readonly isOpen: boolean;
}

/** What an answer is sent by. */
export interface Outgoing {
  readonly isOpen: boolean;
  /** Whether the head of the answer has been written, which cannot be changed from then on. */
  readonly hasBegun: boolean;
  /** Sends a whole answer. Where the client still sends a body that nobody reads, the connection ends with it. */
  send(status: number, headers: RawHeaders, body: string | Uint8Array, encoding?: "latin1" | "utf8"): void;
  /** Writes the head of an answer whose body follows. It leaves with the first of it. */
  begin(status: number, headers: RawHeaders): void;
  /** Has the head leave before there is a body. */
  flush(): void;
  /** False where the client does not keep up; `onceDrained` says when it does. */
  write(bytes: Uint8Array | string): boolean;
  /** Calls once when more can be written, or never will. */
  onceDrained(listener: () => void): void;
  end(): void;
  /** Ends the connection at once: the client sees that what it has is not all. */
  cut(): void;
  /** Calls once the client has gone, unless `offGone` comes first. */
  onGone(listener: () => void): void;
  offGone(listener: () => void): void;
}

/** A connection that is none of HTTP any more. */
export interface TakenOver {
  readonly stream: Duplex;
  /** What has been read of it already. */
  readonly head: Uint8Array;
}

/** One request and its answer, whichever server reads the one and sends the other: all that the runtime knows of a transport. */
export interface Exchange extends Headers, Body, Outgoing {
  readonly method: string;
  /** As it was written: a path with its query, a URL, or `*`. */
  readonly target: string;
  /** `1.1` */
  readonly version: string;
  /** Names and values in turn, as they were written. */
  readonly rawHeaders: readonly string[];
  /** Of who is connected. */
  readonly address: string;
  /** True for a client that sends its body when it is asked to, which it has not been. */
  readonly waitsToSend: boolean;
  /** Asks such a client for the body. */
  ask(): void;
  /** Whether all of the body has come. */
  readonly isComplete: boolean;
  readonly status: number;
  /** Calls once the answer has been handed over, or the client has gone; not after what it returns was called. */
  onceOver(listener: () => void): () => void;
  /** Calls once the server stops, at once where it does; not after what it returns was called. */
  onDrain(listener: () => void): () => void;
  /** Takes no further request from the connection once this one is answered. */
  closeAfter(): void;
  /** Takes nothing that follows on the connection, which cannot be told from this request. */
  refuseRest(): void;
  /** Ends the exchange of HTTP and hands its connection out; absent where the client has not asked for a WebSocket. */
  readonly takeOver?: () => TakenOver;
  /** Nothing more is done for this request. */
  release(): void;
}
