import { expect, test } from "vitest";
import type { Schema, TypeTable } from "../model/schema.ts";
import { exampleOf, sampleOfType } from "./example.ts";
import { bundled, outcome } from "./testing/decoding.ts";
import { endpoint, field, request } from "./testing/models.ts";

const types: TypeTable = {
  "a.ts#Tree": {
    kind: "object",
    fields: [
      field("name", { kind: "string" }),
      field("children", { kind: "array", items: { kind: "ref", id: "a.ts#Tree" } }),
    ],
  },
  "a.ts#Shape": {
    kind: "union",
    tag: "kind",
    variants: [
      { kind: "object", fields: [field("kind", { kind: "literal", value: "circle" }), field("r", { kind: "number" })] },
      { kind: "object", fields: [field("kind", { kind: "literal", value: "square" }), field("a", { kind: "int" })] },
    ],
  },
};

const schemas: readonly (readonly [string, Schema])[] = [
  ["a text", { kind: "string" }],
  ["a long text", { kind: "string", limits: { min: 9, max: 10 } }],
  ["a short text", { kind: "string", limits: { max: 2 } }],
  ["an address", { kind: "string", limits: { format: "email", max: 200 } }],
  ["a URL", { kind: "string", limits: { format: "url" } }],
  ["a small number", { kind: "number", limits: { max: -2 } }],
  ["a large int", { kind: "int", limits: { min: 4.5 } }],
  ["a list of some", { kind: "array", items: { kind: "int" }, limits: { min: 3 } }],
  ["an empty list", { kind: "array", items: { kind: "int" }, limits: { max: 0 } }],
  ["a pattern", { kind: "string", pattern: { texts: ["v", "-", ""], holes: ["number", "string"] } }],
  ["a number", { kind: "number" }],
  ["an int", { kind: "int" }],
  ["an int64", { kind: "int64" }],
  ["a date", { kind: "date" }],
  ["null or a text", { kind: "union", variants: [{ kind: "null" }, { kind: "string" }] }],
  ["any JSON", { kind: "json" }],
  ["a map", { kind: "record", values: { kind: "boolean" } }],
  ["a tuple", { kind: "tuple", items: [{ schema: { kind: "int" }, optional: false }], rest: { kind: "string" } }],
  ["a type that holds itself", { kind: "ref", id: "a.ts#Tree" }],
  ["a tagged union", { kind: "ref", id: "a.ts#Shape" }],
  ["a list of them", { kind: "array", items: { kind: "ref", id: "a.ts#Shape" } }],
];

test.each(schemas)("the example and the sample of %s are bodies that the API takes", (_name, schema) => {
  const jsonRequest = request({ body: [field("value", schema)], carries: "json" });
  const example = exampleOf(jsonRequest, types);
  const made = bundled(endpoint("POST /x", "x", { request: jsonRequest }), types);
  const body: unknown = JSON.parse(JSON.stringify(example?.value));
  expect(outcome(made, { body })).toEqual({ value: expect.anything() });
  const sample: unknown = JSON.parse(JSON.stringify({ value: sampleOfType(schema, types)?.value }));
  expect(outcome(made, { body: sample })).toEqual({ value: expect.anything() });
});

test("a sample has the names of fields as texts and two items in a list, within their limits", () => {
  const few: Schema = { kind: "array", items: { kind: "number" }, limits: { max: 1 } };
  const fields = [field("title", { kind: "string", limits: { max: 3 } }), field("few", few)];
  const list: Schema = { kind: "array", items: { kind: "object", fields } };
  const item = { title: "tit", few: [1] };
  expect(sampleOfType(list, {})).toEqual({ value: [item, item] });
});

test("a request without a body has no example", () => {
  expect(exampleOf(request({}), types)).toBeUndefined();
});
