import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from "vitest";
import type { ID, Index, Ref, Unique } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity, transaction } from "../../declare/entity.ts";
import { HOST } from "../../declare/slot.ts";
import type { Platform } from "../../platform/contract.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { withMethods } from "../../platform/with-methods.ts";
import type { BundledEntity } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { settings } from "../settings.ts";
import { bundleOf } from "../testing/app.ts";

interface Customer {
  id: ID;
  name: string;
  since: Date;
}

interface Order {
  id: ID;
  customer: Index<Ref<Customer>>;
  seller?: Ref<Customer>;
  agent: Ref<Customer> | null;
  watchers: Ref<Customer>[];
  invoice: Unique<Ref<Order>> | null;
  total: Index<number>;
}

const customers = Entity<Customer>("customers");
const orders = Entity<Order>("orders");

const row = { id: "id", transient: [], indexes: [] };
const entities: readonly BundledEntity[] = [
  { ...row, declaration: customers as never, name: "customers", indexed: [] },
  {
    ...row,
    declaration: orders as never,
    name: "orders",
    indexed: [
      { name: "customer", many: false },
      { name: "total", many: false },
    ],
    refs: [
      { field: "customer", entity: "customers" },
      { field: "seller", entity: "customers" },
      { field: "agent", entity: "customers" },
      { field: "watchers", entity: "customers" },
      { field: "invoice", entity: "orders" },
    ],
  },
];

/** The keys in each read by key, as received by the platform. */
let reads: (readonly string[])[] = [];
let directory: string;
let platform: LocalPlatform;
let ctx: Context;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "fw-references-"));
  platform = await openLocal(directory, definitionsOf({ entities }), { temporary: true });
  const counting = withMethods(platform.entities, {
    getMany(keys) {
      reads.push(keys.map(({ kind, id }) => `${kind} ${id}`));
      return platform.entities.getMany(keys);
    },
  });
  const ports = withMethods<Platform>(platform, { entities: counting });
  const app = createApplication({ ...bundleOf([]), entities }, { settings: settings.test, platform: ports });
  ctx = { [HOST]: app.host, requestId: "r1" } as unknown as Context;
  for (const [id, name] of people) await customers.create(ctx, { id, name, since: new Date(0) });
  for (let total = 0; total < 25; total++) await orders.create(ctx, order(total));
});

afterAll(async () => {
  await platform?.close();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  reads = [];
});

const people = [
  ["ann", "Ann"],
  ["bob", "Bob"],
  ["eve", "Eve"],
] as const;

const order = (total: number): Order => ({
  id: `o${total}`,
  customer: ["ann", "bob", "gone"][total % 3] ?? "",
  agent: total % 2 === 0 ? null : "eve",
  watchers: ["ann", "gone", "eve"],
  invoice: null,
  total,
  ...(total === 7 && { seller: "bob" }),
});

test("a page reads the documents of each Ref field in one request", async () => {
  const page = await orders.query().orderBy("total").with("customer", "seller").limit(20).page(ctx);
  expect(page.items.map(({ customer }) => customer?.name).slice(0, 4)).toEqual(["Ann", "Bob", undefined, "Ann"]);
  expect(page.items[7]?.seller?.name).toBe("Bob");
  expect(page.items[6]).not.toHaveProperty("seller.name");
  expect(reads).toEqual([["customers ann", "customers bob", "customers gone"], ["customers bob"]]);
  const next = await orders.query().orderBy("total").with("customer").page(ctx, page.next);
  expect(next.items).toHaveLength(5);
});

test("null stays null, and a list has the documents that exist", async () => {
  const [first, second] = await orders.query().orderBy("total").with("agent").with("watchers").limit(2).all(ctx);
  expect([first?.agent, second?.agent?.name]).toEqual([null, "Eve"]);
  expect(first?.watchers.map(({ name }) => name)).toEqual(["Ann", "Eve"]);
});

test("get, find, getMany, first and each bring documents along", async () => {
  expect((await orders.get(ctx, "o1", { with: "customer" })).customer?.name).toBe("Bob");
  expect((await orders.find(ctx, "o0", { with: ["customer", "agent"] }))?.customer?.since).toEqual(new Date(0));
  expect(await orders.find(ctx, "none", { with: "customer" })).toBeUndefined();
  await expect(orders.get(ctx, "none", { with: "customer" })).rejects.toMatchObject({ status: 404 });
  reads = [];
  const many = await orders.getMany(ctx, ["o1", "none", "o0"], { with: "customer" });
  expect(many.map((each) => each?.customer?.name)).toEqual(["Bob", undefined, "Ann"]);
  expect(reads.slice(1)).toEqual([["customers bob", "customers ann"]]);
  expect((await orders.query().orderBy("total").with("customer").first(ctx))?.customer?.name).toBe("Ann");
  const names: (string | undefined)[] = [];
  for await (const each of orders.query().orderBy("total").with("customer").each(ctx)) names.push(each.customer?.name);
  expect(names).toHaveLength(25);
});

test("a transaction reads them as it sees them", async () => {
  await transaction(ctx, async (tx) => {
    await customers.put(tx, { id: "new", name: "New", since: new Date(0) });
    await orders.create(tx, { ...order(100), id: "fresh", customer: "new" });
    expect((await orders.get(tx, "fresh", { with: "customer" })).customer?.name).toBe("New");
  });
  await orders.delete(ctx, "fresh");
});

test("no two documents share one that they refer to", async () => {
  const [first, , , other] = await orders.query().orderBy("total").with("customer").limit(4).all(ctx);
  if (first?.customer) first.customer.name = "changed";
  expect(other?.customer).toEqual({ id: "ann", name: "Ann", since: new Date(0) });
});

test("a field that is no Ref is a Fault", async () => {
  const total = "total" as "customer";
  await expect(orders.get(ctx, "o1", { with: total })).rejects.toThrow('the field "total" of "orders" is not a Ref');
});

test("types: the id becomes the document, and ids of other entities are refused", () => {
  type With = Awaited<ReturnType<typeof read>>;
  const read = () => orders.query().where("customer", "==", "ann").with("customer", "watchers", "agent").all(ctx);
  expectTypeOf<With[number]["customer"]>().toEqualTypeOf<Customer | undefined>();
  expectTypeOf<With[number]["agent"]>().toEqualTypeOf<Customer | null | undefined>();
  expectTypeOf<With[number]["watchers"]>().toEqualTypeOf<Customer[]>();
  expectTypeOf<With[number]["invoice"]>().toEqualTypeOf<Order["invoice"]>();
  expectTypeOf(() => orders.query().all(ctx)).returns.resolves.toEqualTypeOf<Order[]>();
  // @ts-expect-error The total is not a Ref.
  void (() => orders.query().with("total"));
  // @ts-expect-error A reference to an order is not a reference to a customer.
  const wrong = (id: Ref<Order>): Ref<Customer> => id;
  const right = (id: string): Ref<Customer> => id;
  void [wrong, right];
});
