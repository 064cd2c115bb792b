import { readAll } from "../../../lib/codec.ts";
import type { Reader } from "../../../lib/codec.ts";
import type { Platform } from "../../contract.ts";
import type { Ask } from "../../grants.ts";
import { bytes, type AnyOperation } from "../../operation.ts";
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

/** What can be asked for, and how it is carried out: what travels of the result, or a Download. */
export interface Served extends Pick<AnyOperation, "asks"> {
  readonly given: readonly Reader<unknown>[];
  readonly run: (given: readonly unknown[], place: Place) => Promise<unknown>;
}

/** What can be asked for beside the contract's own operations. */
export function serving<Given extends readonly unknown[]>(operation: {
  readonly given: { readonly [I in keyof Given]: Reader<Given[I]> };
  readonly asks: (...given: NoInfer<Given>) => readonly Ask[];
  readonly run: (given: NoInfer<Given>, place: Place) => Promise<unknown>;
}): Served {
  return operation as unknown as Served;
}

/** The arguments are read, then what they ask for is allowed, then it runs. Fails with Malformed and with PlatformErrors. */
export async function carryOut(
  { given: codecs, asks, run }: Served,
  args: readonly unknown[],
  place: Place,
): Promise<unknown> {
  const given = readAll(codecs, args);
  place.allow(asks(...given));
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0) given[body] = place.body();
  return run(given, place);
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
