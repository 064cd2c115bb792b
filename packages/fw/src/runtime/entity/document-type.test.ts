import { describe, expect, test } from "vitest";
import { compileDocuments } from "../testing/documents.ts";
import { Entity } from "../../declare/entity.ts";
import type { ID } from "../../declare/binding.ts";
import type { Schema } from "../../model/schema.ts";
import type { BundledEntity } from "../bundle.ts";
import { checkWritten, currentFields } from "./document-type.ts";

interface Order {
  id: ID;
  total: number;
  currency: string;
  lines: string[];
  due?: Date;
}

const document: Schema = {
  kind: "object",
  fields: [
    { name: "total", schema: { kind: "int" }, optional: false },
    { name: "currency", schema: { kind: "string" }, optional: false },
    { name: "lines", schema: { kind: "array", items: { kind: "string" } }, optional: false },
    { name: "due", schema: { kind: "date" }, optional: true },
  ],
};

/** Returns the bundled entity of orders, with these rules for older data. */
function orders(evolution?: Parameters<typeof Entity<Order>>[1]): BundledEntity {
  return {
    declaration: Entity<Order>("orders", evolution) as never,
    name: "orders",
    id: "id",
    indexed: [],
    transient: [],
    indexes: [],
    alternatives: compileDocuments(document),
  };
}

const current = { total: 1.5, currency: "EUR", lines: ["cup"], other: { kept: true } };

describe("a stored document", () => {
  test("that is of its type is what was stored, with fields that no type names", () => {
    expect(currentFields(orders(), "o1", current)).toBe(current);
  });

  test("that is not of its type is an error with entity, id and field, and without the value", () => {
    const read = (fields: object) => () => currentFields(orders(), "o1", fields as never);
    expect(read({ ...current, total: "secret" })).toThrow(
      'the document "o1" of "orders" has a total that is another string and not int; it was written by another version: declare an upgrade for the field',
    );
    expect(read({ lines: [], total: 1 })).toThrow('the document "o1" of "orders" has no currency, which is string');
    expect(read({ ...current, lines: ["cup", 1] })).toThrow("has a lines that is a list and not list");
    expect(read({ ...current, due: "2026-01-01" })).toThrow("not date");
  });

  test("gets the value of a rule for a field that does not fit, and only for that", () => {
    const entity = orders({ upgrade: { currency: "EUR", total: (old) => Number(old["amount"]) } });
    expect(currentFields(entity, "o1", { amount: "12", lines: [], currency: "USD" })).toEqual({
      amount: "12",
      currency: "USD",
      lines: [],
      total: 12,
    });
    expect(currentFields(entity, "o1", { ...current, amount: "12" })).toMatchObject({ total: 1.5 });
  });

  test("gets a copy of a constant, which a handler may change", () => {
    const entity = orders({ upgrade: { lines: [] } });
    const [one, other] = [1, 2].map(() => currentFields(entity, "o1", { total: 1, currency: "EUR" }));
    (one as unknown as Order).lines.push("cup");
    expect(other?.["lines"]).toEqual([]);
  });

  test("has a field under the name that it had earlier, unless it has both", () => {
    const entity = orders({ renamed: { total: "amount" }, upgrade: { currency: "EUR" } });
    expect(currentFields(entity, "o1", { amount: 12, lines: [] })).toEqual({ currency: "EUR", lines: [], total: 12 });
    expect(currentFields(entity, "o1", { ...current, amount: 12 })).toMatchObject({ total: 1.5, amount: 12 });
  });

  test("that no rule makes fit is an error", () => {
    const entity = orders({ upgrade: { total: (old) => old["amount"] as number } });
    expect(() => currentFields(entity, "o1", { amount: "12", currency: "EUR", lines: [] })).toThrow("not int");
  });
});

test("a document that is written with another type than its entity's is refused", () => {
  expect(() => checkWritten(orders(), "o1", { ...current, currency: 3 })).toThrow("it was not written");
  expect(() => checkWritten(orders(), "o1", current)).not.toThrow();
});

test("of a union, one alternative has to fit, and the nearest one names the field", () => {
  const shape = (kind: string, field: string): Schema => ({
    kind: "object",
    fields: [
      { name: "kind", schema: { kind: "literal", value: kind }, optional: false },
      { name: field, schema: { kind: "number" }, optional: false },
    ],
  });
  const entity = {
    ...orders(),
    name: "shapes",
    alternatives: compileDocuments({ kind: "union", variants: [shape("circle", "radius"), shape("box", "side")] }),
  };
  expect(currentFields(entity, "s1", { kind: "box", side: 2 })).toEqual({ kind: "box", side: 2 });
  expect(() => currentFields(entity, "s1", { kind: "box", radius: 2 })).toThrow("has no side");
});
