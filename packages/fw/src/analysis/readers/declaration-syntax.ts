import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationName } from "../../model/kinds.ts";

/** A value in the source with its place; `value` is `undefined` if it is not of the expected kind. */
export interface Located<T> {
  readonly at: Span;
  readonly value: T | undefined;
  /** The constant that is there instead. */
  readonly actual?: unknown;
  /** Why it is not constant, a phrase that follows a colon. */
  readonly why?: string;
  /** The code that causes it, if it is elsewhere. */
  readonly cause?: Span;
}

/** A setting with a constant of the wrong kind. */
interface WrongType {
  readonly kind: "type";
  readonly at: Span;
  readonly name: string;
  /** The expected value, after "must be". */
  readonly expected: string;
  readonly actual: unknown;
  /** The possible strings, if there are few. */
  readonly options: readonly string[];
}

/** A mistake in the way a config is written. Names are paths, such as `build.out`. */
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

/** A config argument: its settings, and the faults that prevent reading it. */
export interface ConfigRead<Settings> {
  /** Its place, or that of the callee without a config. */
  readonly at: Span;
  readonly settings: Settings;
  /** False if the unread part may contain settings; then a missing setting means nothing. */
  readonly complete: boolean;
  readonly faults: readonly ConfigFault[];
  /** The place of a second config argument. */
  readonly extra?: Span;
}

/** The expression in place of a declaration's name. */
export type DeclarationReference =
  | ({ readonly kind: "declared" } & DeclarationKey)
  /** The declaration itself, written in place of its name. */
  | { readonly kind: "inline"; readonly name: DeclarationName }
  /** A declaration of another kind. */
  | { readonly kind: "another"; readonly name: DeclarationName }
  /** A declaration outside a `const`, which is reported there. */
  | { readonly kind: "misplaced" }
  /** Not a declaration; `why` is a phrase that follows a colon. */
  | { readonly kind: "none"; readonly why?: string; readonly cause?: Span; readonly form?: ReferenceForm };

/** The form of an expression in place of a declaration's name, for a hint. */
export type ReferenceForm =
  | { readonly kind: "spread" | "choice" | "call" }
  /** `member` is a name that could be written instead: `can.edit`. */
  | { readonly kind: "computed"; readonly member: string };
