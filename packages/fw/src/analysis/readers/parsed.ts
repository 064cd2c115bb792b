import type { Span } from "../../model/diagnostic.ts";
import type { Placement } from "../resolution/placement.ts";
import type { readers } from "./kinds.ts";
import type { QueriesRead } from "./query.ts";
import type { RawCall } from "./raw-call.ts";

/** A declaration written where none is read. */
export interface Misplaced {
  readonly kind: "misplaced";
  /** The function that was called: `API`. */
  readonly name: string;
  readonly placement: Exclude<Placement, "const">;
  readonly at: Span;
}

/** What was read of one declaration. Plain data: rules look at it and never at syntax. */
export type Parsed = ReturnType<(typeof readers)[keyof typeof readers]["read"]> | Misplaced;

/** The declarations of one directory, in source order: path, then position. */
export interface ParsedPackage {
  readonly name: string;
  /** Relative to the application's root; "" for the root itself. */
  readonly dir: string;
  readonly reads: readonly Parsed[];
}

export interface ParsedApp {
  /** In name order. */
  readonly packages: readonly ParsedPackage[];
  /** False where packages are left out because they could not be read; then the absence of a declaration says nothing. */
  readonly whole: boolean;
  /** Whether a directory exists, relative to the application's root; asked anew each time. */
  readonly hasDirectory: (dir: string) => boolean;
  /** What is asked of entities, wherever it is written. */
  readonly queries: QueriesRead;
  /** Calls of handlers of other packages, wherever they are written. */
  readonly rawCalls: readonly RawCall[];
}
