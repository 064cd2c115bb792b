import { alternatives, literalsOf, type Schema } from "../../model/schema.ts";

/** Adds to each union the property that discriminates its objects, if there is one. */
export function withTags(schema: Schema, table: ReadonlyMap<string, Schema>): Schema {
  switch (schema.kind) {
    case "union": {
      const variants = schema.variants.map((variant) => withTags(variant, table));
      const tag = tagOf({ kind: "union", variants }, table);
      return { kind: "union", variants, ...(tag === undefined ? {} : { tag }) };
    }
    case "array": {
      const items = withTags(schema.items, table);
      return items === schema.items ? schema : { ...schema, items };
    }
    case "record": {
      const values = withTags(schema.values, table);
      return values === schema.values ? schema : { ...schema, values };
    }
    case "tuple": {
      const items = schema.items.map((item) => tagPart(item, table));
      return { kind: "tuple", items, ...(schema.rest ? { rest: withTags(schema.rest, table) } : {}) };
    }
    case "object": {
      const fields = schema.fields.map((each) => tagPart(each, table));
      return fields.every((each, index) => each === schema.fields[index]) ? schema : { kind: "object", fields };
    }
    default:
      return schema;
  }
}

/** Adds tags to the unions in a part's schema. Returns the same part if there are no unions or tuples. */
function tagPart<Part extends { readonly schema: Schema }>(part: Part, table: ReadonlyMap<string, Schema>): Part {
  const schema = withTags(part.schema, table);
  return schema === part.schema ? part : { ...part, schema };
}

/** Finds the required property whose literals discriminate the objects of a union; undefined if there is none. */
function tagOf(union: Schema & { kind: "union" }, table: ReadonlyMap<string, Schema>): string | undefined {
  const inner = alternatives(union, (id) => table.get(id)).map((variant) => dereference(variant, table));
  if (inner.some((variant) => variant === undefined || variant.kind === "record" || variant.kind === "json"))
    return undefined;
  const objects = inner.filter((variant) => variant?.kind === "object");
  const [first] = objects;
  if (!first || objects.length < 2) return undefined;
  return first.fields.find(({ name }) => discriminates(objects, name))?.name;
}

function dereference(schema: Schema, table: ReadonlyMap<string, Schema>): Schema | undefined {
  return schema.kind === "ref" ? table.get(schema.id) : schema;
}

function discriminates(objects: readonly (Schema & { kind: "object" })[], name: string): boolean {
  const usedValues = new Set<string | number | boolean>();
  for (const { fields } of objects) {
    const field = fields.find((each) => each.name === name);
    const values = field && !field.optional ? literalsOf(field.schema) : undefined;
    if (!values || values.some((value) => usedValues.has(value))) return false;
    for (const value of values) usedValues.add(value);
  }
  return true;
}
