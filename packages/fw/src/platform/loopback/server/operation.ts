import type { Platform } from "../../contract.ts";
import type { Ask } from "../../grants.ts";
import type { Args } from "./args.ts";
import type { Peer } from "./peer.ts";

/** Where an operation is carried out. */
export interface Place {
  readonly platform: Platform;
  /** Who asks. */
  readonly peer: Peer;
  /** Fails with `denied` unless the service may do all of this. */
  readonly allow: (asked: readonly Ask[]) => void;
  /** The bytes of an object that come with the request. */
  readonly body: () => ReadableStream<Uint8Array>;
}

/** Answers a request with what its result is, or with a Download. Fails with Malformed and with PlatformErrors. */
export type Operation = (args: Args, place: Place) => Promise<unknown>;

/** An operation: its arguments are read, then what they ask for is allowed, then it runs. */
export function operation<T>(
  read: (args: Args) => T,
  asks: (given: T) => readonly Ask[],
  run: (given: T, place: Place) => Promise<unknown>,
): Operation {
  return async (args, place) => {
    const given = read(args);
    place.allow(asks(given));
    return run(given, place);
  };
}

/** A result that is the bytes of an object. */
export class Download {
  readonly bytes: number;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(bytes: number, stream: ReadableStream<Uint8Array>) {
    this.bytes = bytes;
    this.stream = stream;
  }
}
