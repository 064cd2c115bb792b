import type { Field, Schema, TypeTable } from "./schema.ts";

/**
 * Returns the types of the values that documents may have at an indexed field, in the platform's notation such as
 * `number|undefined` or `string[]`; undefined if some of them cannot be indexed. `undefined` stands for a document
 * without a value.
 */
export function storedTypes(document: Schema, name: string, types: TypeTable): string | undefined {
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

/** Flattens a type to its alternatives, without names and unions. */
function alternativesOf(schema: Schema, types: TypeTable, open: readonly string[] = []): readonly Schema[] {
  if (schema.kind === "union") return schema.variants.flatMap((variant) => alternativesOf(variant, types, open));
  if (schema.kind !== "ref") return [schema];
  const target = types[schema.id];
  return target === undefined || open.includes(schema.id) ? [] : alternativesOf(target, types, [...open, schema.id]);
}

/** Returns the types of all parts; undefined if those of one part are unknown. */
function allOf<Part>(
  parts: readonly Part[],
  typesOf: (part: Part) => readonly string[] | undefined,
): readonly string[] | undefined {
  const lists = parts.map(typesOf);
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}
