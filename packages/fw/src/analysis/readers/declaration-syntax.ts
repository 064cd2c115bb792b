import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationName } from "../../model/kinds.ts";

/** A value of the source and where it stands; `value` is `undefined` when it is not what was asked for. */
export interface Located<T> {
  readonly at: Span;
  readonly value: T | undefined;
  /** The constant that is there instead. */
  readonly found?: unknown;
  /** Why it is no constant, a phrase that follows a colon. */
  readonly why?: string;
  /** What it comes down to, when that stands elsewhere. */
  readonly cause?: Span;
}

/** A setting with a constant of the wrong kind. */
interface WrongType {
  readonly kind: "type";
  readonly at: Span;
  readonly name: string;
  /** What it must be, after "must be". */
  readonly wants: string;
  readonly found: unknown;
  /** The texts it could be, where they are few. */
  readonly known: readonly string[];
}

/** What is wrong with the way a config is written. Names are paths, such as `build.out`. */
export type ConfigFault =
  | { readonly kind: "held"; readonly at: Span }
  | { readonly kind: "spread"; readonly at: Span }
  | { readonly kind: "computed-name"; readonly at: Span }
  | { readonly kind: "accessor"; readonly at: Span; readonly name: string }
  | { readonly kind: "computed"; readonly at: Span; readonly name: string; readonly why: string; readonly cause?: Span }
  | { readonly kind: "unknown"; readonly at: Span; readonly name: string; readonly known: readonly string[] }
  | WrongType
  | { readonly kind: "missing"; readonly at: Span; readonly name: string }
  | { readonly kind: "redirect"; readonly at: Span; readonly path: string };

/** A config argument: what it sets, and what keeps it from being read. */
export interface ConfigRead<Settings> {
  /** Where it stands; what is called, where there is none. */
  readonly at: Span;
  readonly settings: Settings;
  /** False when a setting could hide in what was not read; then the absence of a setting says nothing. */
  readonly complete: boolean;
  readonly faults: readonly ConfigFault[];
  /** A second config, where one is read. */
  readonly extra?: Span;
}

/** What stands where a declaration has to be named. */
export type Reference =
  | ({ readonly kind: "declared" } & DeclarationKey)
  /** The declaration itself, written in place of its name. */
  | { readonly kind: "inline" }
  /** A declaration of another kind. */
  | { readonly kind: "another"; readonly name: DeclarationName }
  /** A declaration that no `const` holds, which is told where it is written. */
  | { readonly kind: "misplaced" }
  /** No declaration; `why` is a phrase that follows a colon. */
  | { readonly kind: "none"; readonly why?: string; readonly cause?: Span; readonly form?: ReferenceForm };

/** An expression that stands in the place of a declaration's name, as far as a hint can say what to write instead. */
export type ReferenceForm =
  | { readonly kind: "spread" | "choice" | "call" }
  /** `member` is one that could be named: `can.edit`. */
  | { readonly kind: "computed"; readonly member: string };
