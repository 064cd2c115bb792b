import type { DeclarationRef } from "../../model/app.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { CallSource } from "./source.ts";

/** The call of a declaration during reading. */
export interface DeclarationSource extends CallSource {
  readonly declaration: DeclarationRef;
  /** The called function: `RequireRole`. */
  readonly name: DeclarationName;
}

/** Reads declarations of a kind and converts them to the model. */
export interface DeclarationReader<Parsed, Model> {
  /** Never throws and reports nothing; rules check the result. */
  readonly read: (source: DeclarationSource) => OwnFacts<Parsed>;
  /** Undefined if the declaration is incomplete; then a rule says why. `service` is its package's name. */
  readonly model: (parsed: Parsed, service: string) => OwnFacts<Model> | undefined;
}

/** The members of one kind of declaration, without those of every declaration. */
export type OwnFacts<T> = T extends unknown ? Omit<T, "kind" | "declaration"> : never;
