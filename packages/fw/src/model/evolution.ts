import type { Entity, IndexedField } from "./entity.ts";
import type { Schema, TypeTable } from "./schema.ts";
import { storedTypes } from "./stored-types.ts";

/** Rules for older values of a declaration's type, by top-level field. */
export interface Evolution {
  /** The earlier name of each renamed field. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The fields with a value or function for data that lacks them or holds another type, sorted. */
  readonly upgraded: readonly string[];
}

/** A declaration whose data outlives the code that wrote it. */
export interface Evolving {
  readonly evolution?: Evolution;
}

/** Returns the object types that a value can have: the type itself, or each alternative of a union. */
export function objectsOf(schema: Schema, schemaOf: (id: string) => Schema | undefined): readonly ObjectSchema[] {
  const openedIds = new Set<string>();
  const open = (each: Schema): readonly ObjectSchema[] => {
    if (each.kind === "object") return [each];
    if (each.kind === "union") return each.variants.flatMap(open);
    if (each.kind !== "ref" || openedIds.has(each.id)) return [];
    openedIds.add(each.id);
    const target = schemaOf(each.id);
    return target === undefined ? [] : open(target);
  };
  return open(schema);
}

export type ObjectSchema = Extract<Schema, { kind: "object" }>;

/**
 * Returns the indexed fields that a rule may fill in, each with its type as text. Code with an equal text writes
 * documents with a valid field.
 */
export function ruledFields(
  { indexed, evolution, document }: Pick<Entity, "indexed" | "evolution" | "document">,
  types: TypeTable,
): ReadonlyMap<string, string> {
  if (evolution === undefined) return new Map();
  const ruled = new Set([...evolution.upgraded, ...Object.keys(evolution.renamed)]);
  const objects = document === undefined ? [] : objectsOf(document, (id) => types[id]);
  return new Map(
    indexed
      .filter(({ name }) => ruled.has(name))
      .map(({ name }) => {
        const own = objects.map(({ fields }) => {
          const field = fields.find((each) => each.name === name);
          return field && [inlined(field.schema, types, []), field.optional];
        });
        return [name, JSON.stringify(own)] as const;
      }),
  );
}

/** An indexed field in the form that platforms use. */
export interface StoredIndexField extends IndexedField {
  /** The text of its type, if a rule fills the field in older documents. */
  readonly rule?: string;
  /** The types of its values; absent if unknown. */
  readonly type?: string;
}

/** Returns the indexed fields of an entity in the form that the runtime uses. */
export function withRules(
  entity: Pick<Entity, "indexed" | "evolution" | "document"> & { readonly id?: string },
  types: TypeTable,
): readonly StoredIndexField[] {
  const ruled = ruledFields(entity, types);
  const { document, id } = entity;
  return entity.indexed.map((field) => {
    const rule = ruled.get(field.name);
    const type = document === undefined || field.name === id ? undefined : storedTypes(document, field.name, types);
    // A property that fw adds is not a field of the document's type.
    const isKnown = type !== undefined && type !== "undefined";
    return { ...field, ...(rule !== undefined && { rule }), ...(isKnown && { type }) };
  });
}

/** Replaces references in a schema with the named types; a recursive type keeps its name. */
function inlined(schema: Schema, types: TypeTable, open: readonly string[]): unknown {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) => {
      const { kind, id } = (typeof value === "object" && value !== null ? value : {}) as Partial<
        Record<string, unknown>
      >;
      if (kind !== "ref" || typeof id !== "string" || open.includes(id)) return value;
      const target = types[id];
      return target === undefined ? value : inlined(target, types, [...open, id]);
    }),
  );
}
