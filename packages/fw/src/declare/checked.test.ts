import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checked, type SchemaInput, type SchemaOutput, type StandardSchema } from "./checked.ts";

const zodOrder = z
  .object({
    from: z.string().transform((text) => new Date(text)),
    items: z.array(z.object({ price: z.number().min(1) })),
  })
  .refine(({ items }) => items.length < 3, { error: "has too many items", path: ["items"] });
const valibotOrder = v.object({
  from: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
  items: v.pipe(
    v.array(v.object({ price: v.pipe(v.number(), v.minValue(1, "is too cheap")) })),
    v.maxLength(2, "has too many items"),
  ),
});

describe.each<[string, StandardSchema<SchemaInput<typeof zodOrder>, { from: Date }>]>([
  ["zod", zodOrder],
  ["valibot", valibotOrder],
])("a schema of %s", (_, schema) => {
  test("makes of a value what it says", async () => {
    const order = await checked(schema, { from: "2026-01-31", items: [{ price: 1 }] });
    expect(order).toEqual({ from: new Date("2026-01-31"), items: [{ price: 1 }] });
  });

  test("refuses as a request that misses its types is refused", async () => {
    const result = checked(schema, { from: "2026-01-31", items: [{ price: 1 }, { price: 0 }] });
    const at = "body items[1].price";
    await expect(result).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^body items\[1\]\.price: ./) as string,
      details: { problems: [{ at, problem: expect.any(String) as string }] },
    });
    const items = [{ price: 1 }, { price: 2 }, { price: 3 }];
    const details = { problems: [{ at: "query order items", problem: "has too many items" }] };
    await expect(checked(schema, { from: "", items }, "query order")).rejects.toMatchObject({ details });
  });
});

test("a schema that asks somebody is awaited", async () => {
  const free = z.string().refine(async (name) => Promise.resolve(name !== "ann"), "is taken");
  expect(await checked(free, "bob")).toBe("bob");
  await expect(checked(free, "ann", "body name")).rejects.toThrow("body name: is taken");
});

test("a refusal without issues, or with very many, is told in bounds", async () => {
  const refusing = (count: number): StandardSchema => {
    const issues = Array.from({ length: count }, (_, i) => ({ message: "is wrong", path: [{ key: "odd name" }, i] }));
    return { "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } };
  };
  await expect(checked(refusing(0), 1)).rejects.toThrow("body: is refused");
  const many = await checked(refusing(500), 1).catch((error: unknown) => error as { details: { problems: unknown[] } });
  expect(many).toMatchObject({ message: 'body ["odd name"][0]: is wrong' });
  expect((many as { details: { problems: unknown[] } }).details.problems).toHaveLength(100);
});

test("types are inferred of a schema", () => {
  const input: SchemaInput<typeof valibotOrder> = { from: "2026-01-31", items: [] };
  const output: SchemaOutput<typeof zodOrder> = { from: new Date(0), items: [] };
  // @ts-expect-error the input of a schema is not a Date
  const wrong: SchemaInput<typeof zodOrder> = output;
  expect([input, wrong]).toHaveLength(2);
});
