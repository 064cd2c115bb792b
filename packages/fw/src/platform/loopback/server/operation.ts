import { readAll, type Reader } from "../../../lib/codec.ts";
import type { Platform } from "../../contract.ts";
import type { AccessRequest } from "../../grants.ts";
import { bytes, type AnyOperation } from "../../operation.ts";
import type { Peer } from "./peer.ts";

export interface CallContext {
  readonly platform: Platform;
  readonly peer: Peer;
  /** Checks that the service may make all of these requests. Otherwise throws a PlatformError `denied`. */
  readonly allow: (requests: readonly AccessRequest[]) => void;
  /** Returns the object's bytes in the request. */
  readonly body: () => ReadableStream<Uint8Array>;
}

/** An operation and its implementation, which resolves with a serializable result, a Download or a ChangeStream. */
export interface ServedOperation extends Pick<AnyOperation, "accesses"> {
  readonly args: readonly Reader<unknown>[];
  readonly run: (args: readonly unknown[], place: CallContext) => Promise<unknown>;
}

/** Checks the types of an operation that only the loopback has. */
export function serving<Args extends readonly unknown[]>(operation: {
  readonly args: { readonly [I in keyof Args]: Reader<Args[I]> };
  readonly accesses: (...args: NoInfer<Args>) => readonly AccessRequest[];
  readonly run: (args: NoInfer<Args>, place: CallContext) => Promise<unknown>;
}): ServedOperation {
  return operation as unknown as ServedOperation;
}

/**
 * Decodes the arguments, checks the required access, and runs the operation. Throws a Malformed error or a
 * PlatformError.
 */
export async function carryOut(
  { args: codecs, accesses, run }: ServedOperation,
  encodedArgs: readonly unknown[],
  place: CallContext,
): Promise<unknown> {
  const args = readAll(codecs, encodedArgs);
  place.allow(accesses(...args));
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0) args[body] = place.body();
  return run(args, place);
}

/** A result that consists of an object's bytes. */
export class Download {
  readonly bytes: number;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(bytes: number, stream: ReadableStream<Uint8Array>) {
    this.bytes = bytes;
    this.stream = stream;
  }
}
