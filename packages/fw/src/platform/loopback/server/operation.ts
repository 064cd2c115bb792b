import { readAll } from "../../../lib/codec.ts";
import type { Reader } from "../../../lib/codec.ts";
import type { Platform } from "../../contract.ts";
import type { AccessRequest } from "../../grants.ts";
import { bytes, type AnyOperation } from "../../operation.ts";
import type { Peer } from "./peer.ts";

/** Where an operation is carried out. */
export interface Place {
  readonly platform: Platform;
  /** Who asks. */
  readonly peer: Peer;
  /** Fails with `denied` unless the service may do all of this. */
  readonly allow: (requests: readonly AccessRequest[]) => void;
  /** The bytes of an object that come with the request. */
  readonly body: () => ReadableStream<Uint8Array>;
}

/** What can be asked for, and how it is carried out: what travels of the result, or a Download. */
export interface Served extends Pick<AnyOperation, "accesses"> {
  readonly args: readonly Reader<unknown>[];
  readonly run: (args: readonly unknown[], place: Place) => Promise<unknown>;
}

/** What can be asked for beside the contract's own operations. */
export function serving<Args extends readonly unknown[]>(operation: {
  readonly args: { readonly [I in keyof Args]: Reader<Args[I]> };
  readonly accesses: (...args: NoInfer<Args>) => readonly AccessRequest[];
  readonly run: (args: NoInfer<Args>, place: Place) => Promise<unknown>;
}): Served {
  return operation as unknown as Served;
}

/**
 * The arguments are read, then what they ask for is allowed, then it runs. Fails with Malformed and with
 * PlatformErrors.
 */
export async function carryOut(
  { args: codecs, accesses, run }: Served,
  encodedArgs: readonly unknown[],
  place: Place,
): Promise<unknown> {
  const args = readAll(codecs, encodedArgs);
  place.allow(accesses(...args));
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0) args[body] = place.body();
  return run(args, place);
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
