import { expect, test } from "vitest";
import { allOfKind } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const crm = `
-- crm/crm.ts --
import { Entity, type ID } from "fw";
export interface Customer { id: ID; name: string }
export const customers = Entity<Customer>("customers");
`;

const shop = (code: string): string => `${crm}
-- shop/shop.ts --
import { API, Entity, type ID, type Index, type Path, type Ref } from "fw";
import type { Customer } from "../crm/crm.ts";
export interface Order { id: ID; customer: Index<Ref<Customer>>; previous?: Ref<Order>; watchers: Ref<Customer>[] }
export const orders = Entity<Order>("orders");
${code}
`;

async function uses(code: string): Promise<readonly string[]> {
  const { diagnostics } = await bench.analyze(shop(code));
  expect(diagnostics).toEqual([]);
  const [first] = (await bench.uses()).map((entry) => entry.uses);
  return (first ?? []).map(({ name, operation }) => `${name} ${operation}`);
}

test("the model names the entity of each Ref, in whichever package it is", async () => {
  const { app, diagnostics } = await bench.analyze(shop(""));
  expect(diagnostics).toEqual([]);
  expect(allOfKind(app.packages, "entity").find(({ name }) => name === "orders")?.refs).toEqual([
    { field: "customer", entity: "customers" },
    { field: "previous", entity: "orders" },
    { field: "watchers", entity: "customers" },
  ]);
});

test("a type that only TypeScript can read names its entity, too", async () => {
  const { app, diagnostics } = await bench.analyze(`${crm}
-- shop/shop.ts --
import { Entity, type ID, type Ref } from "fw";
import type { Customer } from "../crm/crm.ts";
type Fields<T> = { [P in keyof T as P extends \`_\${string}\` ? never : P]: T[P] };
export const orders = Entity<Fields<{ id: ID; customer: Ref<Customer>; _note: string }>>("orders");
`);
  expect(diagnostics).toEqual([]);
  expect(allOfKind(app.packages, "entity").find(({ name }) => name === "orders")?.refs).toEqual([
    { field: "customer", entity: "customers" },
  ]);
});

const read = ["customers getMany", "orders getMany", "orders query"];

test.each([
  ["a query", 'orders.query().where("customer", "==", "c").with("customer").all(ctx)', read],
  [
    "a read of one",
    'orders.get(ctx, "o", { with: "customer" })',
    ["customers getMany", "orders get", "orders getMany"],
  ],
  ["a relation with a type argument", 'orders.query().with<"customer">("customer").all(ctx)', read],
  ["a relation by brackets", 'orders.query()["with"]?.("customer").all(ctx)', read],
  [
    "an option by brackets",
    'orders.get(ctx, "o", { ["with"]: "customer" })',
    ["customers getMany", "orders get", "orders getMany"],
  ],
  ["no relation", 'orders.query().where("customer", "==", "c").all(ctx)', ["orders query"]],
])("a service reads the documents of relations if its code may: %s", async (_what, code, expected) => {
  expect(await uses(`export const list = API("GET /orders", (ctx) => ${code});`)).toEqual(expected);
});

test("a delete may do to other entities what their rules say, and a write reads what it refers to", async () => {
  const text = (code: string): string => `
-- shop/shop.ts --
import { API, Entity, type ID, type Index, type Ref, type Path } from "fw";
export interface Customer { id: ID }
export const customers = Entity<Customer>("customers");
export interface Order { id: ID; customer: Index<Ref<Customer>>; next?: Index<Ref<Order>> }
export const orders = Entity<Order>("orders", { onDelete: { customer: "cascade", next: "clear" } });
export interface Note { id: ID; order: Index<Ref<Order>> }
export const notes = Entity<Note>("notes", { onDelete: { order: "refuse" } });
export const act = API("POST /{id}", async (ctx, { id }: { id: Path }) => { await ${code}; });
`;
  const usesOf = async (code: string): Promise<readonly string[]> => {
    expect((await bench.analyze(text(code))).diagnostics).toEqual([]);
    return ((await bench.uses())[0]?.uses ?? []).map(({ name, operation }) => `${name} ${operation}`);
  };
  expect(await usesOf("customers.delete(ctx, id)")).toEqual([
    "customers delete",
    "customers get",
    "notes query",
    "orders delete",
    "orders get",
    "orders query",
    "orders update",
  ]);
  expect(await usesOf("notes.put(ctx, { id, order: id })")).toEqual(["notes get", "notes put", "orders get"]);
  expect(await usesOf("customers.put(ctx, { id })")).toEqual(["customers put"]);
});

test.each([
  [
    "customer: Ref<Customer> }",
    'customer: "refuse"',
    'onDelete finds the documents that refer to a deleted one by the field "customer", which is not indexed',
  ],
  [
    "customer: Index<Ref<Customer>> }",
    'customer: "clear"',
    'onDelete clears the field "customer", which every document must have',
  ],
  ["customer?: Index<Ref<Customer>>; all: Index<Ref<Customer>[]> }", 'customer: "clear", all: "clear"', undefined],
])("a rule for deleted documents is one that a store can follow: %s %s", async (fields, rule, message) => {
  const { diagnostics } = await bench.analyze(`
-- shop/shop.ts --
import { Entity, type ID, type Index, type Ref } from "fw";
export interface Customer { id: ID }
export const customers = Entity<Customer>("customers");
export interface Order { id: ID; ${fields}
export const orders = Entity<Order>("orders", { onDelete: { ${rule} } });
`);
  expect(diagnostics.map((each) => each.message)).toEqual(message === undefined ? [] : [message]);
});

test("a helper that adds the relation counts for the entries that reach it", async () => {
  const code = `
const withCustomer = (ctx: Context, query: EntityQuery<Order>) => query.with("customer").all(ctx);
import type { Context, EntityQuery } from "fw";
export const list = API("GET /orders", (ctx) => withCustomer(ctx, orders.query()));
export const other = API("GET /others/{id}", (ctx, { id }: { id: Path }) => orders.find(ctx, id));`;
  expect(await uses(code)).toEqual(read);
  expect((await bench.uses())[1]?.uses.map(({ name, operation }) => `${name} ${operation}`)).toEqual(["orders find"]);
});

test("a Ref cannot lead to documents of a tenant from outside of it", async () => {
  const text = (tenant: string): string => `
-- shop/shop.ts --
import { Entity, Tenant, type ID, type Path, type Ref } from "fw";
export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) => ({ role: "member" }));
export interface Customer { id: ID }
export const customers = Entity<Customer>("customers", { tenant: orgs });
export interface Order { id: ID; customer: Ref<Customer> }
export const orders = Entity<Order>("orders", { tenant: ${tenant} });
`;
  expect((await bench.analyze(text("orgs"))).diagnostics).toEqual([]);
  expect((await bench.analyze(text('"shared"'))).diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      "fw/entity-ref",
      'the field "customer" of "orders", which all tenants share, refers to "customers", which belongs to tenants "orgs"',
    ],
  ]);
});

test("a Ref of a type without a name is refused in these words", async () => {
  const { diagnostics } = await bench.analyze(`
-- shop/shop.ts --
import { Entity, type ID, type Ref } from "fw";
export interface Order { id: ID; customer: Ref<{ id: ID }> }
export const orders = Entity<Order>("orders");
`);
  expect(diagnostics.map(({ message }) => message)).toEqual(['the field "customer" refers to a type without a name']);
});
