import type { ESTree } from "rolldown/utils";
import type { DeclarationRef } from "../../model/app.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { Source } from "./source.ts";

/** How declarations of a kind are read, and what they are in the model. */
export interface Kind<Parsed, Model> {
  /** Never throws and reports nothing: rules judge what it found. */
  readonly read: (
    source: Source,
    call: ESTree.CallExpression,
    declaration: DeclarationRef,
    /** The function that is called: `RequireRole`. */
    name: DeclarationName,
  ) => Parsed;
  /** Undefined where it is not whole; then a rule says why. `service` is its package's name. */
  readonly model: (parsed: Parsed, service: string) => Model | undefined;
}
