import type { Codec } from "../lib/codec.ts";
import type { HeldLease, OpenedObject } from "./codecs.ts";
import type { Lease } from "./contract.ts";
import type { Ask } from "./grants.ts";
import type { StoredObject } from "./objects.ts";

/** An operation of a platform, as it is asked for by another process. */
export interface Operation<Given extends readonly unknown[], Result> {
  /** What only reads may be asked for twice. */
  readonly does: "read" | "write";
  readonly given: Codecs<Given>;
  readonly answers: Codec<Result>;
  /** What a service needs grants for that asks for it; nothing where an argument is itself what allows it. */
  readonly asks: (...given: Given) => readonly Ask[];
  /** Fails as every platform would, before anything is sent. */
  readonly checks?: (...given: Given) => void;
  /** Whether a password is derived for it, of which a platform has few under way. */
  readonly derives?: (...given: Given) => boolean;
  /** What the result can be asked for in turn, which does not travel. */
  readonly hands?: "lease" | "object";
}

/** A codec for each argument. */
type Codecs<Given, Full = Required<Given>> = {
  readonly [I in keyof Full]: Codec<I extends keyof Given ? Given[I] : never>;
};

/** The operations of a port of the platform, none left out. */
export type Operations<Port, Left extends keyof Port = never> = {
  readonly [Name in Exclude<keyof Port, Left>]-?: NonNullable<Port[Name]> extends (
    ...given: infer Given
  ) => infer Result
    ? Operation<Given, Sent<Awaited<Result>>> & Handing<Awaited<Result>>
    : never;
};

/** What travels of a result. */
type Sent<Result> = Result extends StoredObject ? OpenedObject : Result extends Lease ? HeldLease : Result;

type Handing<Result> = [Extract<Result, StoredObject>] extends [never]
  ? [Extract<Result, Lease>] extends [never]
    ? { readonly hands?: never }
    : { readonly hands: "lease" }
  : { readonly hands: "object" };

/** The bytes of an object: they come beside the arguments, in the place of nothing. */
export const bytes: Codec<ReadableStream<Uint8Array>> = {
  write: () => null,
  read: () => new ReadableStream(),
};

/** An operation whatever its types. */
export type AnyOperation = Operation<readonly unknown[], unknown>;

/** Carries out an operation of a port with its arguments. */
export type Call = (...given: readonly unknown[]) => Promise<unknown>;
