import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationName } from "../../model/kinds.ts";

/**
 * A value with its location. `value` is undefined for code that is not constant, and for a value of an unexpected type,
 * which `actual` then holds.
 */
export interface Located<T> {
  readonly at: Span;
  readonly value: T | undefined;
  readonly actual?: unknown;
  /** The reason it is not constant: a phrase to put after a colon. */
  readonly why?: string;
  /** The code that is the reason, if elsewhere. */
  readonly cause?: Span;
}

interface WrongType {
  readonly kind: "type";
  readonly at: Span;
  readonly name: string;
  /** The expected value, as a phrase to put after "must be". */
  readonly expected: string;
  readonly actual: unknown;
  /** The possible strings, if there are few. */
  readonly options: readonly string[];
}

/** A mistake in a config's syntax. Names are paths, such as `build.out`. */
export type ConfigFault =
  | { readonly kind: "held"; readonly at: Span }
  | { readonly kind: "spread"; readonly at: Span }
  | { readonly kind: "computed-name"; readonly at: Span }
  | { readonly kind: "accessor"; readonly at: Span; readonly name: string }
  | { readonly kind: "computed"; readonly at: Span; readonly name: string; readonly why: string; readonly cause?: Span }
  | { readonly kind: "unknown"; readonly at: Span; readonly name: string; readonly options: readonly string[] }
  | WrongType
  | { readonly kind: "missing"; readonly at: Span; readonly name: string }
  | { readonly kind: "redirect"; readonly at: Span; readonly path: string };

/** A config argument: the settings, and the faults that prevented reading some of them. */
export interface ConfigRead<Settings> {
  /** The location of the config or, without one, of the callee. */
  readonly at: Span;
  readonly settings: Settings;
  /** False if some settings could not be read, so that a missing setting proves nothing. */
  readonly complete: boolean;
  readonly faults: readonly ConfigFault[];
  /** The location of an argument after the config. */
  readonly extra?: Span;
}

/** The meaning of an expression where a declaration's name is expected. */
export type DeclarationReference =
  | ({ readonly kind: "declared" } & DeclarationKey)
  | { readonly kind: "inline"; readonly name: DeclarationName }
  | { readonly kind: "another"; readonly name: DeclarationName }
  /** A declaration that another rule refuses: it is not in a `const`, or lacks a required export. */
  | { readonly kind: "misplaced" }
  /** Not a declaration; `why` is a phrase to put after a colon. */
  | { readonly kind: "none"; readonly why?: string; readonly cause?: Span; readonly form?: ReferenceForm };

/** The form of an expression that should be a declaration's name, for a hint. */
export type ReferenceForm =
  | { readonly kind: "spread" | "choice" | "call" }
  /** `member` is a name to write instead: `can.edit`. */
  | { readonly kind: "computed"; readonly member: string };
