import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../lib/testing/code-point.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { exactText } from "../lib/exact-text.ts";
import { bundled } from "./testing/decoding.ts";
import { endpoint, field } from "./testing/models.ts";

const int64: Schema = { kind: "int64" };
const string: Schema = { kind: "string" };
const big = 9007199254740993n;

const variant = (kind: string, fields: ReturnType<typeof field>[]): Schema => ({
  kind: "object",
  fields: [field("kind", { kind: "literal", value: kind }), ...fields],
});

function encoder(response: Schema, types: TypeTable = {}): ((value: unknown) => string) | undefined {
  return bundled(endpoint("GET /x", "x", { response }), types).encode;
}

test("a response without an Int64 is left to JSON.stringify", () => {
  const list: Schema = { kind: "array", items: { kind: "ref", id: "A" } };
  expect(encoder(list, { A: { kind: "object", fields: [field("a", string), field("more", list)] } })).toBeUndefined();
  expect(encoder({ kind: "blob" })).toBeUndefined();
});

describe("an Int64 is a JSON number, exact", () => {
  test("alone, in lists, records, tuples and optional", () => {
    expect(encoder(int64)?.(big)).toBe("9007199254740993");
    expect(encoder({ kind: "array", items: int64 })?.([big, 1n])).toBe("[9007199254740993,1]");
    expect(encoder({ kind: "record", values: int64 })?.({ 'a"b': big })).toBe('{"a\\"b":9007199254740993}');
    expect(encoder({ kind: "tuple", items: [{ schema: int64, optional: false }] })?.([big])).toBe("[9007199254740993]");
    expect(encoder({ kind: "union", variants: [int64, { kind: "null" }] })?.(null)).toBe("null");
  });

  test("in objects, beside members of every other kind", () => {
    const encode = encoder({
      kind: "object",
      fields: [
        field("id", int64),
        field("odd key", string),
        field("at", { kind: "date" }),
        field("note", string, true),
      ],
    });
    expect(encode?.({ id: big, "odd key": "\u2028</script>", at: new Date(0) })).toBe(
      '{"id":9007199254740993,"odd key":"\u2028</script>","at":"1970-01-01T00:00:00.000Z"}',
    );
    expect(encode?.({})).toBe("{}");
  });

  test("in variants told apart by a tag", () => {
    const variants = [variant("a", [field("n", int64)]), variant("b", [field("s", string)]), { kind: "null" } as const];
    const encode = encoder({ kind: "union", tag: "kind", variants });
    expect(encode?.({ kind: "a", n: big })).toBe('{"kind":"a","n":9007199254740993}');
    expect(encode?.({ kind: "b", s: "x" })).toBe('{"kind":"b","s":"x"}');
    expect(encode?.(null)).toBe("null");
  });

  test("in recursive types", () => {
    const node: Schema = {
      kind: "object",
      fields: [
        field("id", int64),
        field("next", { kind: "union", variants: [{ kind: "ref", id: "Node" }, { kind: "null" }] }),
      ],
    };
    expect(encoder({ kind: "ref", id: "Node" }, { Node: node })?.({ id: 1n, next: { id: big, next: null } })).toBe(
      '{"id":1,"next":{"id":9007199254740993,"next":null}}',
    );
  });

  test("in a value of another shape than declared", () => {
    const encode = encoder({ kind: "object", fields: [field("list", { kind: "array", items: int64 })] });
    expect(encode?.({ list: { surprise: big } })).toBe('{"list":{"surprise":9007199254740993}}');
    expect(encode?.([big])).toBe("{}");
    expect(encode?.(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
  });
});

test("declared values are encoded as JSON.stringify would", () => {
  const schema: Schema = {
    kind: "object",
    fields: [
      field("id", int64),
      field("names", { kind: "record", values: { kind: "union", variants: [int64, string] } }),
      field("list", {
        kind: "array",
        items: { kind: "object", fields: [field("n", int64), field("s", string, true)] },
      }),
    ],
  };
  const encode = encoder(schema);
  const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const value = fc.record({
    id: int,
    names: fc.dictionary(fc.string({ unit: codePoint }), fc.oneof(int, fc.string({ unit: codePoint }))),
    list: fc.array(fc.record({ n: int, s: fc.string() }, { requiredKeys: ["n"] })),
  });
  fc.assert(
    fc.property(value, (value) => {
      expect(encode?.(value)).toBe(exactText(value));
    }),
  );
});
