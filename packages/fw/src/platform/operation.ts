import type { Codec } from "../lib/codec.ts";
import type { HeldLease, OpenedObject } from "./codecs.ts";
import type { Lease } from "./contract.ts";
import type { AccessRequest } from "./grants.ts";
import type { StoredObject } from "./objects.ts";

/** A platform operation that another process can request. */
export interface Operation<Args extends readonly unknown[], Result> {
  /** Only reads are safe to retry. */
  readonly does: "read" | "write";
  readonly args: Codecs<Args>;
  readonly answers: Codec<Result>;
  /** The access that a caller needs; empty if an argument itself authorizes the call. */
  readonly accesses: (...args: Args) => readonly AccessRequest[];
  /** Rejects arguments that every platform would reject, before anything is sent. */
  readonly checks?: (...args: Args) => void;
  /** Whether the call hashes a password; platforms limit how many such calls are in flight. */
  readonly derives?: (...args: Args) => boolean;
  /** Set if the result has methods that stay on the serving side. */
  readonly handle?: "lease" | "object";
}

type Codecs<Args, Full = Required<Args>> = {
  readonly [I in keyof Full]: Codec<I extends keyof Args ? Args[I] : never>;
};

export type Operations<Port, Omitted extends keyof Port = never> = {
  readonly [Name in Exclude<keyof Port, Omitted>]-?: NonNullable<Port[Name]> extends (
    ...args: infer Args
  ) => infer Result
    ? Operation<Args, WireResult<Awaited<Result>>> & ResultHandle<Awaited<Result>>
    : never;
};

/** The part of a result that travels to the caller. */
type WireResult<Result> = Result extends StoredObject ? OpenedObject : Result extends Lease ? HeldLease : Result;

type ResultHandle<Result> = [Extract<Result, StoredObject>] extends [never]
  ? [Extract<Result, Lease>] extends [never]
    ? { readonly handle?: never }
    : { readonly handle: "lease" }
  : { readonly handle: "object" };

/** The codec of an object's bytes. They are sent separately, and the arguments contain null instead. */
export const bytes: Codec<ReadableStream<Uint8Array>> = {
  write: () => null,
  read: () => new ReadableStream(),
};

export type AnyOperation = Operation<readonly unknown[], unknown>;

export type Call = (...args: readonly unknown[]) => Promise<unknown>;
