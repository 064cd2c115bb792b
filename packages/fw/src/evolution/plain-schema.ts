import type { Schema } from "../model/schema.ts";

/** Returns a schema without its comments, which do not affect values. */
export function plainSchema(schema: Schema): Schema {
  switch (schema.kind) {
    case "array":
      return { ...schema, items: plainSchema(schema.items) };
    case "tuple":
      return {
        ...schema,
        items: schema.items.map((item) => ({ ...item, schema: plainSchema(item.schema) })),
        ...(schema.rest && { rest: plainSchema(schema.rest) }),
      };
    case "record":
      return { ...schema, values: plainSchema(schema.values) };
    case "object":
      return {
        kind: "object",
        fields: schema.fields.map(({ name, schema: own, optional }) => ({ name, schema: plainSchema(own), optional })),
      };
    case "union":
      return { ...schema, variants: schema.variants.map(plainSchema) };
    case "blob":
      return schema.events === undefined ? schema : { ...schema, events: plainSchema(schema.events) };
    default:
      return schema;
  }
}
