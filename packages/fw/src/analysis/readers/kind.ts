import type { DeclarationRef } from "../../model/app.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { CallSource } from "./source.ts";

/** A declaration that is being read. */
export interface DeclarationSource extends CallSource {
  readonly declaration: DeclarationRef;
  /** The function that is called: `RequireRole`. */
  readonly name: DeclarationName;
}

/** How declarations of a kind are read, and what they are in the model. */
export interface Kind<Parsed, Model> {
  /** Never throws and reports nothing: rules judge what it found. */
  readonly read: (source: DeclarationSource) => Facts<Parsed>;
  /** Undefined where it is not whole; then a rule says why. `service` is its package's name. */
  readonly model: (parsed: Parsed, service: string) => Facts<Model> | undefined;
}

/** What there is of one declaration and not of every one. */
export type Facts<T> = T extends unknown ? Omit<T, "kind" | "declaration"> : never;
