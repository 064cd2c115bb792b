import type { DeclarationRef } from "../../model/app.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { CallSource } from "./source.ts";

export interface DeclarationSource extends CallSource {
  readonly declaration: DeclarationRef;
  /** The called function: `RequireRole`. */
  readonly name: DeclarationName;
}

/** Reads declarations of a kind and converts them to the model. */
export interface DeclarationReader<Parsed, Model> {
  /** Never throws and reports nothing: rules check the result. */
  readonly read: (source: DeclarationSource) => OwnFacts<Parsed>;
  /** Undefined if the declaration is incomplete, which a rule reports. `service` is the name of its package. */
  readonly model: (parsed: Parsed, service: string) => OwnFacts<Model> | undefined;
}

/** The members specific to one kind of declaration. */
export type OwnFacts<T> = T extends unknown ? Omit<T, "kind" | "declaration"> : never;
