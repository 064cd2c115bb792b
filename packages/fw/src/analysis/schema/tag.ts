import type { Schema } from "../../model/schema.ts";

/** The same schema, its unions saying which property tells their objects apart. */
export function withTags(schema: Schema, table: ReadonlyMap<string, Schema>): Schema {
  switch (schema.kind) {
    case "union": {
      const variants = schema.variants.map((variant) => withTags(variant, table));
      const tag = tagOf(variants, table);
      return { kind: "union", variants, ...(tag === undefined ? {} : { tag }) };
    }
    case "array":
      return { kind: "array", items: withTags(schema.items, table) };
    case "record":
      return { kind: "record", values: withTags(schema.values, table) };
    case "tuple": {
      const items = schema.items.map((item) => ({ ...item, schema: withTags(item.schema, table) }));
      return { kind: "tuple", items, ...(schema.rest ? { rest: withTags(schema.rest, table) } : {}) };
    }
    case "object":
      return {
        kind: "object",
        fields: schema.fields.map((each) => ({ ...each, schema: withTags(each.schema, table) })),
      };
    default:
      return schema;
  }
}

type ObjectSchema = Schema & { kind: "object" };

/** The required property whose literal tells the object variants of a union apart. */
function tagOf(variants: readonly Schema[], table: ReadonlyMap<string, Schema>): string | undefined {
  const opened = variants.map((variant) => behind(variant, table));
  if (opened.some((variant) => variant === undefined || variant.kind === "record" || variant.kind === "json"))
    return undefined;
  const objects = opened.filter((variant) => variant?.kind === "object");
  const [first] = objects;
  if (!first || objects.length < 2) return undefined;
  return first.fields.find(({ name }) => tellsApart(objects, name))?.name;
}

function behind(schema: Schema, table: ReadonlyMap<string, Schema>): Schema | undefined {
  return schema.kind === "ref" ? table.get(schema.id) : schema;
}

function tellsApart(objects: readonly ObjectSchema[], name: string): boolean {
  const seen = new Set<string | number | boolean>();
  for (const { fields } of objects) {
    const field = fields.find((each) => each.name === name);
    if (field?.schema.kind !== "literal" || field.optional || seen.has(field.schema.value)) return false;
    seen.add(field.schema.value);
  }
  return true;
}
