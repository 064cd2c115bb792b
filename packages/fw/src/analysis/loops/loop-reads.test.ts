import { expect, test } from "vitest";
import { applyEdits } from "../../workspace/fixes.ts";
import { filesOf } from "../testing/app.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const shop = (code: string): string => `-- shop/shop.ts --
import { API, Entity, transaction, type ID, type Index, type Ref } from "fw";
export interface Customer { id: ID; name: string }
export const customers = Entity<Customer>("customers");
export interface Order { id: ID; at: Index<Date>; customer: Ref<Customer>; seller: string; lines: { seller: string }[] }
export const orders = Entity<Order>("orders");
export const list = API("GET /list", async (ctx) => {
  const out: unknown[] = [];
  const keep = async (name: string): Promise<void> => void out.push(name);
  ${code}
  return { n: out.length };
});
`;

const each = (body: string, of = "await orders.query().all(ctx)"): string =>
  `const all = ${of};\n  for (const order of all) {\n    ${body}\n  }`;

const withRef = 'read them with the query: .with("customer"), or read them before the loop: ';

test.each([
  [
    "a loop over all",
    each("out.push(await customers.get(ctx, order.customer));"),
    `${withRef}customers.getMany(ctx, all.map((order) => order.customer))`,
  ],
  [
    "a map over a page",
    "const { items } = await orders.query().page(ctx);\n  out.push(await Promise.all(items.map(async ({ seller }) => ({ who: await customers.get(ctx, seller) }))));",
    "read them before the loop: customers.getMany(ctx, items.map(({ seller }) => seller))",
  ],
  [
    "items of a page",
    "const page = await orders.query().page(ctx);\n  for (const order of page.items) out.push(await customers.find(ctx, order.seller));",
    "read them before the loop: customers.getMany(ctx, page.items.map((order) => order.seller))",
  ],
  [
    "each of a query by a Ref",
    "for await (const { customer } of orders.query().each(ctx)) out.push(await customers.find(ctx, customer));",
    'read them with the query: .with("customer")',
  ],
  [
    "an alias of the id",
    each("const { seller } = order; out.push(await customers.get(ctx, seller));"),
    "read them before the loop: customers.getMany(ctx, …)",
  ],
])(
  "a read for each document of a query is a warning that says how to read them together: %s",
  async (_what, code, hint) => {
    const { diagnostics } = await bench.analyze(shop(code));
    expect(diagnostics.map((one) => [one.code, one.severity, one.hint])).toEqual([
      ["fw/read-in-loop", "warning", hint],
    ]);
  },
);

test.each([
  [
    "a query of a handful",
    each("out.push(await customers.get(ctx, order.seller));", "await orders.query().limit(10).all(ctx)"),
  ],
  ["a loop that ends early", each("if (await customers.find(ctx, order.seller)) break;")],
  [
    "a loop that writes what it reads",
    each("const who = await customers.get(ctx, order.seller); await customers.put(ctx, who);"),
  ],
  ["an id from elsewhere", `const id = "a";\n  ${each("out.push(await customers.get(ctx, id));")}`],
  ["a list of ids", 'for (const id of ["a", "b"]) out.push(await customers.get(ctx, id));'],
  [
    "a stream without a Ref",
    "for await (const { seller } of orders.query().each(ctx)) out.push(await customers.find(ctx, seller));",
  ],
  ["a transaction for each", each("await transaction(ctx, async (tx) => customers.get(tx, order.seller));")],
  [
    "a chain of reads",
    'let id = "a";\n  while (id !== "") { id = (await customers.get(ctx, id)).name; await keep(id); }',
  ],
  ["a function that is called later", each("const later = () => customers.get(ctx, order.seller); out.push(later);")],
  [
    "a context for each document",
    each("const own = ctx.in(order.id); out.push(await customers.find(own, order.seller));"),
  ],
  ["one read", 'out.push(await customers.get(ctx, "a"));\n  out.push([1].map((n) => n));'],
])("a read that is no such loop is not reported: %s", async (_what, code) => {
  expect((await bench.analyze(shop(code))).diagnostics).toEqual([]);
});

test.each([
  [
    "await Promise.all(all.map((order) => customers.find(ctx, order.seller)))",
    "await customers.getMany(ctx, all.map((order) => order.seller))",
  ],
  [
    "await Promise.all(all.map(async ({ seller }) => await customers.find(ctx, seller)))",
    "await customers.getMany(ctx, all.map(({ seller }) => seller))",
  ],
])("reads at once become one read: %s", async (before, after) => {
  const text = (code: string): string => shop(`const all = await orders.query().all(ctx);\n  out.push(${code});`);
  const { diagnostics } = await bench.analyze(text(before));
  const source = filesOf(text(before)).get("shop/shop.ts") ?? "";
  const fixed = applyEdits(source, diagnostics[0]?.fix?.edits ?? []);
  expect(fixed).toBe(filesOf(text(after)).get("shop/shop.ts"));
  expect((await bench.analyze(`-- shop/shop.ts --\n${fixed}`)).diagnostics).toEqual([]);
});

test("a loop reads before it begins, and get has no fix because it throws", async () => {
  const loop = (body: string): string => shop(each(body));
  const { diagnostics } = await bench.analyze(loop("out.push(await customers.find(ctx, order.seller));"));
  const source = filesOf(loop("out.push(await customers.find(ctx, order.seller));")).get("shop/shop.ts") ?? "";
  const fixed = applyEdits(source, diagnostics[0]?.fix?.edits ?? []);
  expect(fixed).toContain(`  const customersFound = await customers.getMany(ctx, all.map((order) => order.seller));
  for (const [index, order] of all.entries()) {
    out.push(customersFound[index]);
  }`);
  expect((await bench.analyze(`-- shop/shop.ts --\n${fixed}`)).diagnostics).toEqual([]);
  const [withGet] = (await bench.analyze(loop("out.push(await customers.get(ctx, order.seller));"))).diagnostics;
  expect(withGet?.fix).toBeUndefined();
});

test.each([
  "if (order.seller === '') continue; out.push(await customers.find(ctx, order.seller));",
  "if (order.seller !== '') out.push(await customers.find(ctx, order.seller));",
  "out.push(order.seller && (await customers.find(ctx, order.seller)));",
  "order.seller = 'x'; out.push(await customers.find(ctx, order.seller));",
  "try { out.push(await customers.find(ctx, order.seller)); } catch { out.push(1); }",
  "out.push(await customers.find(ctx, order.seller)); await keep(order.seller);",
  "out?.push(await customers.find(ctx, order.seller));",
])("a loop with a condition or other effects around the read has no fix: %s", async (body) => {
  const { diagnostics } = await bench.analyze(shop(each(body)));
  expect(diagnostics.map(({ code, fix }) => [code, fix])).toEqual([["fw/read-in-loop", undefined]]);
});

test("of two loops, one is fixed at a time, because each fix declares a name", async () => {
  const loop = "for (const order of all) out.push(await customers.find(ctx, order.seller));";
  const { diagnostics } = await bench.analyze(shop(`const all = await orders.query().all(ctx);\n  ${loop}\n  ${loop}`));
  expect(diagnostics.map(({ fix }) => fix === undefined).toSorted()).toEqual([false, true]);
});
