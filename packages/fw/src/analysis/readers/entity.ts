import type { Entity, IndexedField } from "../../model/entity.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";

/** `Entity<T>(name)`. */
export interface ParsedEntity extends ParsedNamed<"entity"> {
  /** Set once the types are known. */
  readonly types?: EntityTypes;
}

/** What the type of an entity says. */
export interface EntityTypes {
  readonly fields: readonly EntityField[];
  /** Parts that a document cannot hold. */
  readonly refusals: readonly TypeProblem[];
  /** False where the type could not be read, or is no object; then the absence of a field says nothing. */
  readonly complete: boolean;
}

/** A top-level field of an entity's type. */
export interface EntityField {
  readonly name: string;
  readonly at: Span;
  readonly id: boolean;
  readonly indexed: boolean;
  /** A value is one document's. */
  readonly unique: boolean;
  readonly transient: boolean;
  /** The field holds a list. */
  readonly many: boolean;
  /** The fields inside of it that are marked as indexed, with the names that lead to them. */
  readonly nested: readonly { readonly path: string; readonly at: Span }[];
}

export const entity: Kind<ParsedEntity, Entity> = {
  read: named.read,
  model(parsed, service) {
    const { types } = parsed;
    const whole = named.model(parsed, service);
    const id = types?.fields.find((field) => field.id);
    if (!whole || !types || !id) return undefined;
    const kept = types.fields.filter(({ transient }) => !transient);
    return {
      ...whole,
      id: id.name,
      indexed: kept.filter(({ indexed }) => indexed).map(indexedField),
      transient: types.fields.filter(({ transient }) => transient).map(({ name }) => name),
    };
  },
};

function indexedField({ name, many, unique }: EntityField): IndexedField {
  return { name, many, ...(unique && !many && { unique }) };
}
