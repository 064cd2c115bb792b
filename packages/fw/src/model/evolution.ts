import type { Entity, IndexedField } from "./entity.ts";
import type { Field, Schema, TypeTable } from "./schema.ts";

/** Rules for older values of a declaration's type, by top-level field. */
export interface Evolution {
  /** The earlier name of each renamed field. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The fields with a default value or an upgrade function for missing or outdated values, sorted. */
  readonly upgraded: readonly string[];
}

/** A declaration whose data outlives the code that wrote it. */
export interface Evolving {
  readonly evolution?: Evolution;
}

/** Returns the object types among a schema's alternatives, with references and unions resolved. */
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
 * Returns the indexed fields that a rule may fill in, each with its type as a string. Versions of the code whose
 * strings are equal write the same values.
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
  /** The field's type as a string; present if a rule fills in the field of older documents. */
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
    // The document's type has no field for a property that fw adds.
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

/**
 * Returns the possible types of an indexed field, in the platform's notation such as `number|undefined` or `string[]`;
 * undefined if some of them cannot be indexed. `undefined` stands for a document without a value.
 */
function storedTypes(document: Schema, name: string, types: TypeTable): string | undefined {
  const found = typesAt(document, name.split("."), types);
  return found === undefined ? undefined : [...new Set(found)].toSorted().join("|");
}

function typesAt(schema: Schema, path: readonly string[], types: TypeTable): readonly string[] | undefined {
  return allOf(alternativesOf(schema, types), (alternative) => {
    const [name, ...rest] = path;
    if (name === undefined) return valueTypes(alternative, types);
    if (alternative.kind === "record" || alternative.kind === "json") return undefined;
    return alternative.kind === "object" ? fieldTypes(alternative.fields, name, rest, types) : ["undefined"];
  });
}

function fieldTypes(
  fields: readonly Field[],
  name: string,
  rest: readonly string[],
  types: TypeTable,
): readonly string[] | undefined {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) return ["undefined"];
  const inner = typesAt(field.schema, rest, types);
  return inner && field.optional ? [...inner, "undefined"] : inner;
}

function valueTypes(schema: Schema, types: TypeTable): readonly string[] | undefined {
  switch (schema.kind) {
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "date":
      return [schema.kind];
    case "int":
      return ["number"];
    case "int64":
      return ["bigint"];
    case "literal":
      return [typeof schema.value];
    case "never":
      return ["undefined"];
    case "array":
      return typesAt(schema.items, [], types)?.map((type) => `${type}[]`);
    case "tuple": {
      const items = [...schema.items.map((item) => item.schema), ...(schema.rest === undefined ? [] : [schema.rest])];
      return allOf(items, (item) => typesAt(item, [], types)?.map((type) => `${type}[]`));
    }
    default:
      return undefined;
  }
}

/** Flattens a type into its alternatives, resolving named types and unions. */
function alternativesOf(schema: Schema, types: TypeTable, open: readonly string[] = []): readonly Schema[] {
  if (schema.kind === "union") return schema.variants.flatMap((variant) => alternativesOf(variant, types, open));
  if (schema.kind !== "ref") return [schema];
  const target = types[schema.id];
  return target === undefined || open.includes(schema.id) ? [] : alternativesOf(target, types, [...open, schema.id]);
}

/** Returns the types of all parts together; undefined if the types of any part are unknown. */
function allOf<Part>(
  parts: readonly Part[],
  typesOf: (part: Part) => readonly string[] | undefined,
): readonly string[] | undefined {
  const lists = parts.map(typesOf);
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}
