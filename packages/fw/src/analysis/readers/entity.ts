import type { Entity, FiniteValue, IndexedField } from "../../model/entity.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { evolutionModel, readEvolution, type ParsedEvolution } from "./evolution.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { tenantsOf } from "./tenant.ts";
import { searchProperty } from "../../lib/derived-indexes.ts";
import { tenantProperty, uniqueProperty } from "../../lib/tenant-fields.ts";

export interface ParsedEntity extends ParsedNamed<"entity">, ParsedEvolution {
  /** Set once the types are read. */
  readonly types?: EntityTypes;
}

export interface EntityTypes {
  readonly fields: readonly EntityField[];
  readonly nested: readonly NestedIndex[];
  /** Parts that a document cannot hold. */
  readonly refusals: readonly TypeProblem[];
  /** False if the type was not read or is not an object with named fields, so that a missing field proves nothing. */
  readonly complete: boolean;
  readonly typeId?: string;
  /** The stored fields of a document except the ID; absent if `complete` is false or the entity has no type. */
  readonly document?: Schema;
}

/** A top-level field of an entity's type. */
export interface EntityField {
  readonly name: string;
  readonly at: Span;
  readonly id: boolean;
  readonly indexed: boolean;
  /** True if no two documents may share a value. */
  readonly unique: boolean;
  readonly transient: boolean;
  readonly many: boolean;
  /** True if queries can search for its words. */
  readonly search: boolean;
  /** The possible values, if there are finitely many. */
  readonly values: readonly FiniteValue[] | undefined;
  /** The ids of the types whose documents the field refers to. */
  readonly refs: readonly string[];
}

/** An `Index` or a `Search` that queries cannot use. */
export interface NestedIndex {
  /** The names that lead to it, joined with dots. `[]` is a list's items, `[1]` an item of a tuple, `*` any key. */
  readonly path: string;
  readonly at: Span;
}

export const entity: DeclarationReader<ParsedEntity, Entity> = {
  read: (source) => ({ ...nameOnly.read(source), ...readEvolution(source) }),
  model(parsed, service) {
    const { types } = parsed;
    const model = nameOnly.model(parsed, service);
    const id = types?.fields.find((field) => field.id);
    if (!model || !types || !id) return undefined;
    const storedFields = types.fields.filter(({ transient }) => !transient);
    return {
      ...model,
      id: id.name,
      indexed: indexedFields(storedFields, tenantsOf(parsed.rules.tenant) !== undefined),
      transient: types.fields.filter(({ transient }) => transient).map(({ name }) => name),
      ...(types.document && { document: types.document }),
      ...evolutionModel(parsed),
    };
  },
};

/**
 * Derives the indexes of fields. If tenants separate the entity, adds an index of the tenant, and unique values are
 * unique per tenant.
 */
function indexedFields(storedFields: readonly EntityField[], isSeparate: boolean): readonly IndexedField[] {
  const own = storedFields.filter(({ indexed }) => indexed).map(indexedField);
  const searchedNames = storedFields.filter(({ search }) => search).map(({ name }) => name);
  const fields = searchedNames.length === 0 ? own : [...own, { name: searchProperty(searchedNames), many: true }];
  if (!isSeparate) return fields;
  const unique = fields.filter((field) => field.unique);
  return [
    ...fields.map(({ name, many }) => ({ name, many })),
    { name: tenantProperty, many: false },
    ...unique.map(({ name }) => ({ name: uniqueProperty(name), many: false, unique: true as const })),
  ];
}

function indexedField({ name, many, unique }: EntityField): IndexedField {
  return { name, many, ...(unique && !many && { unique }) };
}
