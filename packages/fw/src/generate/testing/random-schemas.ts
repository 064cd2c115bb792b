import * as fc from "fast-check";
import type { Field, Schema, TypeTable } from "../../model/schema.ts";

const names: fc.Arbitrary<string> = fc.constantFrom("a", "b", "kind", "constructor", "toString", "odd key", "0");

const drawnSchemas = fc.letrec<{ schema: Schema; leaf: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("leaf"),
    tie("schema").map((items): Schema => ({ kind: "array", items })),
    tie("schema").map((values): Schema => ({ kind: "record", values })),
    fields(tie("schema")).map((fields): Schema => ({ kind: "object", fields })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 4 }).map((variants): Schema => ({ kind: "union", variants })),
    fc.array(fields(tie("leaf")), { minLength: 1, maxLength: 3 }).map((list): Schema => ({
      kind: "union",
      tag: "kind",
      variants: list.map((fields, i) => ({
        kind: "object",
        fields: [
          { name: "kind", schema: { kind: "literal", value: i }, optional: false },
          ...fields.filter(({ name }) => name !== "kind"),
        ],
      })),
    })),
    fc
      .tuple(fc.array(tie("schema"), { maxLength: 3 }), fc.nat(3), fc.option(tie("leaf"), { nil: undefined }))
      .map(([items, required, rest]): Schema => {
        const listed = items.map((schema, i) => ({ schema, optional: i >= required }));
        return rest === undefined ? { kind: "tuple", items: listed } : { kind: "tuple", items: listed, rest };
      }),
  ),
  leaf: fc.constantFrom<Schema>(
    { kind: "string" },
    { kind: "number" },
    { kind: "int" },
    { kind: "boolean" },
    { kind: "null" },
    { kind: "date" },
    { kind: "json" },
    { kind: "ref", id: "Tree" },
    { kind: "literal", value: "x" },
    { kind: "literal", value: 1 },
    { kind: "literal", value: true },
    { kind: "string", limits: { min: 2 } },
    { kind: "string", limits: { max: 1 } },
    { kind: "string", limits: { min: 2, pattern: "[x-z]+" } },
    { kind: "number", limits: { min: 1 } },
    { kind: "int", limits: { min: 1, max: 1 } },
    { kind: "array", items: { kind: "int", limits: { max: 1 } }, limits: { min: 1, max: 2 } },
  ),
}));

/** Schemas of JSON values. */
export const schema: fc.Arbitrary<Schema> = drawnSchemas.schema;

function fields(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Field[]> {
  const field = fc.record({ name: names, schema, optional: fc.boolean() });
  return fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 4 });
}

export const types: TypeTable = {
  Tree: {
    kind: "union",
    variants: [
      { kind: "int" },
      {
        kind: "object",
        fields: [
          { name: "a", schema: { kind: "ref", id: "Tree" }, optional: false },
          { name: "b", schema: { kind: "string" }, optional: false },
        ],
      },
      { kind: "object", fields: [{ name: "a", schema: { kind: "ref", id: "Tree" }, optional: true }] },
    ],
  },
};

const leaves = fc.constantFrom<unknown>("x", "y", "😀", "xy", 1, 0, 2, 1.5, true, false, null, "2024-01-01T00:00:00Z");
const drawnValues = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaves,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(names, tie("json"), { maxKeys: 4 }),
  ),
}));

const { json } = drawnValues;

/**
 * Generates values that usually fit the schema. With `isBroken`, they have the schema's outline, but often wrong
 * leaves.
 */
export function valueOf(schema: Schema, depth: number, isBroken: boolean = false): fc.Arbitrary<unknown> {
  const fitting = (): fc.Arbitrary<unknown> => {
    switch (schema.kind) {
      case "string":
        return isBroken ? leaves : fc.constantFrom("x", "y");
      case "date":
        return isBroken ? leaves : fc.constant("2024-01-01T00:00:00Z");
      case "literal":
        return isBroken ? fc.oneof(leaves, fc.constant(schema.value)) : fc.constant(schema.value);
      case "array":
        return fc.array(valueOf(schema.items, depth - 1, isBroken), { maxLength: 3 });
      case "record":
        return fc.dictionary(names, valueOf(schema.values, depth - 1, isBroken), { maxKeys: 3 });
      case "object": {
        const required = schema.fields.filter(({ optional }) => !optional).map(({ name }) => name);
        return fc.record(
          Object.fromEntries(schema.fields.map((f) => [f.name, valueOf(f.schema, depth - 1, isBroken)])),
          {
            requiredKeys: isBroken ? [] : required,
          },
        );
      }
      case "union":
        return fc.oneof(...schema.variants.map((variant) => valueOf(variant, depth - 1, isBroken)));
      case "tuple":
        return fc.tuple(...schema.items.map((item) => valueOf(item.schema, depth - 1, isBroken)));
      case "ref":
        return valueOf(types[schema.id] ?? { kind: "null" }, depth - 1, isBroken);
      default:
        return leaves;
    }
  };
  if (depth === 0) return leaves;
  return fc.oneof({ weight: 12, arbitrary: fc.constant(0).chain(fitting) }, { weight: 1, arbitrary: json });
}
