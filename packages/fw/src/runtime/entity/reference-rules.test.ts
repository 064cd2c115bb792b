import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ID, Index, Ref, Unique } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity, transaction } from "../../declare/entity.ts";
import { HOST } from "../../declare/slot.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { tries } from "../../lib/testing/tries.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import { deployedPlatform } from "../../platform/gcp/testing/deployed-platform.ts";
import { openLocal } from "../../platform/local/open.ts";
import { emptyPlatform } from "../../platform/postgres/testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "../../platform/postgres/testing/server.ts";
import type { BundledEntity } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { settings } from "../settings.ts";
import { bindTenancy, TenantContext } from "../tenant/tenant-context.ts";
import { bundleOf } from "../testing/app.ts";

interface Customer {
  id: ID;
}
interface Order {
  id: ID;
  customer: Index<Ref<Customer>>;
}
interface Note {
  id: ID;
  order: Index<Ref<Order>>;
}
interface Ticket {
  id: ID;
  about?: Index<Ref<Customer>>;
  watchers: Index<Ref<Customer>[]>;
}

/** Tenants' documents, which refer to a shared document, to each other and to themselves. */
interface Region {
  id: ID;
}
interface Team {
  id: ID;
  region?: Index<Ref<Region>>;
}
interface Node {
  id: ID;
  parent?: Index<Ref<Node>>;
  team?: Index<Ref<Team>>;
}
interface Seat {
  id: ID;
  team?: Unique<Ref<Team>>;
  node?: Index<Ref<Node>>;
  watchers?: Index<Ref<Team>[]>;
}

const customers = Entity<Customer>("customers");
const orders = Entity<Order>("orders", { onDelete: { customer: "refuse" } });
const notes = Entity<Note>("notes", { onDelete: { order: "cascade" } });
const tickets = Entity<Ticket>("tickets", { onDelete: { about: "clear", watchers: "clear" } });

const regions = Entity<Region>("regions");
const teams = Entity<Team>("teams", { onDelete: { region: "cascade" } });
const nodes = Entity<Node>("nodes", { onDelete: { parent: "cascade", team: "clear" } });
const seats = Entity<Seat>("seats", { onDelete: { team: "clear", node: "refuse", watchers: "clear" } });

function bundled(declaration: { readonly name: string }, refs: BundledEntity["refs"] = []): BundledEntity {
  const indexed = refs.map(({ field }) => ({ name: field, many: field === "watchers" }));
  return {
    declaration: declaration as never,
    name: declaration.name,
    id: "id",
    indexed,
    transient: [],
    refs,
    indexes: [],
  };
}

const entities: readonly BundledEntity[] = [
  bundled(customers),
  bundled(orders, [{ field: "customer", entity: "customers", onDelete: "refuse" }]),
  bundled(notes, [{ field: "order", entity: "orders", onDelete: "cascade" }]),
  bundled(tickets, [
    { field: "about", entity: "customers", onDelete: "clear" },
    { field: "watchers", entity: "customers", onDelete: "clear" },
  ]),
];

function ofTenants(
  declaration: { readonly name: string },
  refs: NonNullable<BundledEntity["refs"]>,
  unique: BundledEntity["indexed"] = [],
): BundledEntity {
  const { indexed, ...rest } = bundled(declaration, refs);
  return { ...rest, tenant: "orgs", indexed: [{ name: "@tenant", many: false }, ...indexed, ...unique] };
}

const tenantEntities: readonly BundledEntity[] = [
  bundled(regions),
  ofTenants(teams, [{ field: "region", entity: "regions", onDelete: "cascade" }]),
  ofTenants(nodes, [
    { field: "parent", entity: "nodes", onDelete: "cascade" },
    { field: "team", entity: "teams", onDelete: "clear" },
  ]),
  ofTenants(
    seats,
    [
      { field: "team", entity: "teams", onDelete: "clear" },
      { field: "node", entity: "nodes", onDelete: "refuse" },
      { field: "watchers", entity: "teams", onDelete: "clear" },
    ],
    [{ name: "@unique:team", many: false, unique: true }],
  ),
];

function contextOn(platform: Platform, own = entities): Context {
  const app = createApplication({ ...bundleOf([]), entities: own }, { settings: settings.test, platform });
  return { [HOST]: app.host, requestId: "r1" } as unknown as Context;
}

async function openLocalStore(definitions: Definitions): Promise<Platform> {
  const directory = await mkdtemp(join(tmpdir(), "fw-references-"));
  const platform = await openLocal(directory, definitions, { temporary: true });
  onTestFinished(async () => {
    await platform.close();
    await rm(directory, { recursive: true, force: true });
  });
  return platform;
}

type Open = (definitions: Definitions) => Promise<Platform>;

/** The ids and fields of each entity's documents. */
interface Model {
  readonly customers: Set<string>;
  readonly orders: Map<string, string>;
  readonly notes: Map<string, string>;
  readonly tickets: Map<string, { readonly about?: string; readonly watchers: readonly string[] }>;
}

type Step =
  | { readonly kind: "customer" | "delete customer" | "delete order"; readonly id: string }
  | { readonly kind: "order" | "note"; readonly id: string; readonly of: string }
  | { readonly kind: "ticket"; readonly id: string; readonly about: string | undefined; readonly watchers: string[] };

const id = fc.constantFrom("a", "b", "c");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("customer", "customer", "delete customer", "delete order"), id } as const),
  fc.record({ kind: fc.constantFrom("order", "note"), id, of: id } as const),
  fc.record({
    kind: fc.constant("ticket"),
    id,
    about: fc.option(id, { nil: undefined }),
    watchers: fc.uniqueArray(id, { maxLength: 2 }),
  } as const),
);

async function run(ctx: Context, each: Step): Promise<void> {
  switch (each.kind) {
    case "customer":
      return void (await customers.put(ctx, { id: each.id }));
    case "delete customer":
      return customers.delete(ctx, each.id);
    case "delete order":
      return orders.delete(ctx, each.id);
    case "order":
      return void (await orders.put(ctx, { id: each.id, customer: each.of }));
    case "note":
      return void (await notes.put(ctx, { id: each.id, order: each.of }));
    case "ticket": {
      const { id, about, watchers } = each;
      return void (await tickets.put(ctx, { id, watchers, ...(about !== undefined && { about }) }));
    }
  }
}

/** Applies a step to the model. Returns false if it is refused. */
function runOnModel(model: Model, each: Step): boolean {
  switch (each.kind) {
    case "customer":
      model.customers.add(each.id);
      return true;
    case "delete customer":
      if ([...model.orders.values()].includes(each.id)) return false;
      model.customers.delete(each.id);
      for (const [key, { about, watchers }] of model.tickets) {
        const rest = watchers.filter((one) => one !== each.id);
        model.tickets.set(key, { watchers: rest, ...(about !== undefined && about !== each.id && { about }) });
      }
      return true;
    case "delete order":
      model.orders.delete(each.id);
      for (const [key, order] of model.notes) if (order === each.id) model.notes.delete(key);
      return true;
    case "order":
      if (!model.customers.has(each.of)) return false;
      model.orders.set(each.id, each.of);
      return true;
    case "note":
      if (!model.orders.has(each.of)) return false;
      model.notes.set(each.id, each.of);
      return true;
    case "ticket": {
      const ids = [...each.watchers, ...(each.about === undefined ? [] : [each.about])];
      if (!ids.every((one) => model.customers.has(one))) return false;
      const { about, watchers } = each;
      model.tickets.set(each.id, { watchers, ...(about !== undefined && { about }) });
      return true;
    }
    default:
      return assertNever(each);
  }
}

async function stateIn(ctx: Context): Promise<Model> {
  const all = await Promise.all([
    customers.query().all(ctx),
    orders.query().all(ctx),
    notes.query().all(ctx),
    tickets.query().all(ctx),
  ]);
  return {
    customers: new Set(all[0].map((each) => each.id)),
    orders: new Map(all[1].map((each) => [each.id, each.customer])),
    notes: new Map(all[2].map((each) => [each.id, each.order])),
    tickets: new Map(all[3].map(({ id: key, ...rest }) => [key, rest])),
  };
}

async function clear(ctx: Context): Promise<void> {
  for (const one of ["a", "b", "c"]) await orders.delete(ctx, one);
  for (const one of ["a", "b", "c"]) await customers.delete(ctx, one);
  for (const one of ["a", "b", "c"]) await tickets.delete(ctx, one);
}

function isRefused(error: unknown): boolean {
  if ((error as { status?: number }).status === 409) return true;
  throw error;
}

function referenceRuleTests(open: Open, runs: number): void {
  test("a referenced document is not deleted, its dependents are, and optional references are cleared", async () => {
    const ctx = contextOn(await open(definitionsOf({ entities })));
    await transaction(ctx, async (tx) => {
      await orders.create(tx, { id: "o", customer: "ann" });
      await notes.create(tx, { id: "n", order: "o" });
      await customers.create(tx, { id: "ann" });
    });
    await tickets.create(ctx, { id: "t", about: "ann", watchers: ["ann"] });
    await expect(customers.delete(ctx, "ann")).rejects.toMatchObject({
      status: 409,
      message: "other documents refer to it: orders",
    });
    await expect(orders.update(ctx, "o", () => ({ id: "o", customer: "bob" }))).rejects.toMatchObject({
      status: 409,
      message: "there is no document with this customer",
    });
    await transaction(ctx, async (tx) => {
      await customers.delete(tx, "ann");
      await orders.delete(tx, "o");
    });
    expect(await customers.find(ctx, "ann")).toBeUndefined();
    expect(await notes.find(ctx, "n")).toBeUndefined();
    expect(await tickets.get(ctx, "t")).toEqual({ id: "t", watchers: [] });
  });

  test("a transaction that would write too many documents with those that rules change is refused", async () => {
    const ctx = contextOn(await open(definitionsOf({ entities })));
    await customers.create(ctx, { id: "ann" });
    await orders.create(ctx, { id: "o", customer: "ann" });
    for (const id of ["n1", "n2"]) await notes.create(ctx, { id, order: "o" });
    const deleteWith = (others: number): Promise<void> =>
      transaction(ctx, async (tx) => {
        for (let n = 0; n < others; n++) await customers.put(tx, { id: `${n}` });
        await orders.delete(tx, "o");
      });
    await expect(deleteWith(497)).rejects.toMatchObject({
      status: 409,
      message: "a transaction can write at most 499 documents and messages",
    });
    await expect(deleteWith(499)).rejects.toMatchObject({ status: 409 });
    expect([await customers.query().count(ctx), await notes.query().count(ctx)]).toEqual([1, 2]);
    await deleteWith(496);
    expect([await customers.query().count(ctx), await notes.query().count(ctx)]).toEqual([497, 0]);
  });

  test("a deleted document of a tenant leaves the lists of that tenant, and of no other", async () => {
    const root = contextOn(await open(definitionsOf({ entities: tenantEntities })), tenantEntities);
    const [acme, beta] = ["acme", "beta"].map((tenant) => new TenantContext(root, bindTenancy("orgs", tenant)));
    if (acme === undefined || beta === undefined) throw new Error("missing tenant");
    for (const ctx of [acme, beta]) {
      for (const id of ["a", "b"]) await teams.create(ctx, { id });
      await seats.create(ctx, { id: "s", watchers: ["a", "b"] });
    }
    await teams.delete(acme, "a");
    expect([await seats.get(acme, "s"), await seats.get(beta, "s")]).toEqual([
      { id: "s", watchers: ["b"] },
      { id: "s", watchers: ["a", "b"] },
    ]);
  });

  test("the rules of a tenant's documents follow references within the tenant, also in cycles", async () => {
    const root = contextOn(await open(definitionsOf({ entities: tenantEntities })), tenantEntities);
    const [acme, beta] = ["acme", "beta"].map((tenant) => new TenantContext(root, bindTenancy("orgs", tenant)));
    if (acme === undefined || beta === undefined) throw new Error("missing tenant");
    await regions.create(root, { id: "eu" });
    for (const ctx of [acme, beta]) {
      await teams.create(ctx, { id: "t", region: "eu" });
      await nodes.create(ctx, { id: "n1", team: "t" });
      await nodes.create(ctx, { id: "n2", parent: "n1" });
      await nodes.put(ctx, { id: "n1", team: "t", parent: "n2" });
      await nodes.create(ctx, { id: "self", parent: "self" });
      await seats.create(ctx, { id: "s", team: "t", node: "self" });
    }
    await teams.create(acme, { id: "only" });
    await expect(nodes.create(beta, { id: "x", team: "only" })).rejects.toMatchObject({ status: 409 });
    await expect(nodes.delete(acme, "self")).rejects.toMatchObject({ status: 409 });
    await seats.put(acme, { id: "s", team: "t" });
    await nodes.delete(acme, "self");
    await nodes.delete(acme, "n2");
    expect(await nodes.query().all(acme)).toEqual([]);
    expect(await nodes.query().count(beta)).toBe(3);
    await transaction(acme, async (tx) => {
      await teams.delete(tx, "t");
      await teams.create(tx, { id: "t", region: "eu" });
    });
    expect(await seats.get(acme, "s")).toEqual({ id: "s", team: "t" });
    await teams.delete(acme, "t");
    expect(await seats.get(acme, "s")).toEqual({ id: "s" });
    await teams.create(acme, { id: "t" });
    // The cleared value is available to another document.
    await seats.create(acme, { id: "s2", team: "t" });
    await expect(seats.put(acme, { id: "s", team: "t" })).rejects.toMatchObject({ status: 409 });
    await teams.put(acme, { id: "t", region: "eu" });
    await regions.delete(root, "eu");
    expect([await teams.find(acme, "t"), await teams.find(beta, "t")]).toEqual([undefined, undefined]);
    expect([await seats.get(acme, "s2"), await nodes.get(beta, "n1")]).toEqual([
      { id: "s2" },
      { id: "n1", parent: "n2" },
    ]);
  });

  test("random writes and deletes agree with a model, and concurrent ones leave no orphan", async () => {
    const ctx = contextOn(await open(definitionsOf({ entities })));
    const histories = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(histories, async (rounds) => {
        await clear(ctx);
        const model: Model = { customers: new Set(), orders: new Map(), notes: new Map(), tickets: new Map() };
        for (const each of rounds.flat()) {
          const isDone = await run(ctx, each).then(
            () => true,
            (error: unknown) => !isRefused(error),
          );
          expect(isDone, JSON.stringify(each)).toBe(runOnModel(model, each));
        }
        expect(await stateIn(ctx)).toEqual(model);
        for (const round of rounds) {
          await Promise.all(round.map((each) => run(ctx, each).catch(isRefused)));
          const state = await stateIn(ctx);
          const customerIds = [...state.tickets.values()].flatMap(({ about = [], watchers }) =>
            [about, watchers].flat(),
          );
          expect([...state.orders.values(), ...customerIds].filter((one) => !state.customers.has(one))).toEqual([]);
          expect([...state.notes.values()].filter((one) => !state.orders.has(one))).toEqual([]);
        }
      }),
      { numRuns: runs },
    );
  });
}

describe("on the local store", () => {
  referenceRuleTests(openLocalStore, tries(10));

  test("a document keeps a reference that was missing before there was a rule", async () => {
    const platform = await openLocalStore(definitionsOf({ entities }));
    const ctx = contextOn(platform);
    await platform.entities.upsert({ kind: "orders", id: "o" }, { customer: "gone" });
    expect(await orders.update(ctx, "o", (order) => order)).toEqual({ id: "o", customer: "gone" });
    await expect(orders.create(ctx, { customer: "gone" })).rejects.toMatchObject({ status: 409 });
  });

  test("a refused delete reads one of the documents that refer to it, and writes read theirs once", async () => {
    const platform = await openLocalStore(definitionsOf({ entities }));
    const limits: unknown[] = [];
    const ids: string[] = [];
    const begin = platform.entities.begin.bind(platform.entities);
    vi.spyOn(platform.entities, "begin").mockImplementation(async (options) => {
      const inner = await begin(options);
      const query = inner.query.bind(inner);
      const get = inner.get.bind(inner);
      vi.spyOn(inner, "query").mockImplementation((each) => {
        limits.push(each.limit);
        return query(each);
      });
      vi.spyOn(inner, "get").mockImplementation((key) => {
        ids.push(key.id);
        return get(key);
      });
      return inner;
    });
    const ctx = contextOn(platform);
    await customers.create(ctx, { id: "ann" });
    await transaction(ctx, async (tx) => {
      for (let n = 0; n < 3; n++) await orders.create(tx, { id: `${n}`, customer: "ann" });
    });
    expect(ids).toEqual(["ann"]);
    await expect(customers.delete(ctx, "ann")).rejects.toMatchObject({ status: 409 });
    expect(limits.at(-1)).toBe(1);
    const refusal = transaction(ctx, async (tx) => {
      for (const id of ["0", "1"]) await orders.delete(tx, id);
      await customers.delete(tx, "ann");
    });
    await expect(refusal).rejects.toMatchObject({ status: 409 });
    expect(limits.at(-1)).toBe(3);
  });

  test("a delete that would delete more than 400 other documents is refused", async () => {
    const platform = await openLocalStore(definitionsOf({ entities }));
    const ctx = contextOn(platform);
    await customers.create(ctx, { id: "ann" });
    await orders.create(ctx, { id: "o", customer: "ann" });
    for (let n = 0; n < 401; n++) await platform.entities.upsert({ kind: "notes", id: `${n}` }, { order: "o" });
    await expect(orders.delete(ctx, "o")).rejects.toMatchObject({ status: 409 });
    await notes.delete(ctx, "0");
    await orders.delete(ctx, "o");
    expect(await notes.query().count(ctx)).toBe(0);
  });
});

describe("on the fake cloud", () => {
  referenceRuleTests((definitions) => deployedPlatform(definitions), tries(2));
});

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());
  referenceRuleTests(async (definitions) => {
    const opened = await emptyPlatform(server, definitions, systemClock);
    onTestFinished(() => opened.dispose());
    return opened.platform;
  }, tries(3));
});
