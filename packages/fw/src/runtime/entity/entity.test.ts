import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ID, Index, Int64, Transient } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity, transaction } from "../../declare/entity.ts";
import type { EntityQuery } from "../../declare/entity-query.ts";
import { NotFound, StatusError } from "../../declare/errors.ts";
import { HOST } from "../../declare/slot.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import type { BundledEntity } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { MetricStore } from "../observe/metrics/store.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { settings } from "../settings.ts";

interface Order {
  id: ID;
  buyer: Index<string>;
  status: Index<"open" | "paid">;
  placed: Index<Date>;
  tags: Index<string[]>;
  serial: Int64;
  lines: { name: string; sent?: Date }[];
  note?: string | undefined;
  cached?: Transient<string>;
}

const orders = Entity<Order>("orders");
const bundled: BundledEntity = {
  declaration: orders as never,
  name: "orders",
  id: "id",
  indexed: [
    { name: "buyer", many: false },
    { name: "status", many: false },
    { name: "placed", many: false },
    { name: "tags", many: true },
    { name: "id", many: false },
  ],
  transient: ["cached"],
  countValues: { status: ["open", "paid"] },
  indexes: [
    [
      { field: "buyer", direction: "asc" },
      { field: "placed", direction: "desc" },
    ],
    [
      { field: "status", direction: "asc" },
      { field: "id", direction: "desc" },
    ],
  ],
};

const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
const order = (more: Partial<Order> = {}) => ({
  buyer: "ann",
  status: "open" as const,
  placed: day(1),
  tags: ["gift"],
  serial: 9007199254740993n,
  lines: [{ name: "cup", sent: day(2) }, { name: "tray" }],
  ...more,
});

let directory: string;
let platform: LocalPlatform;
let ctx: Context;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "fw-entity-"));
  platform = await openLocal(directory, definitionsOf({ entities: [bundled] }), { temporary: true });
  const app = createApplication({ ...bundleOf([]), entities: [bundled] }, { settings: settings.test, platform });
  ctx = { [HOST]: app.host, requestId: "r1" } as unknown as Context;
});

afterAll(async () => {
  await platform?.close();
  await rm(directory, { recursive: true, force: true });
});

describe("documents", () => {
  test("create makes the id, and everything comes back exactly, without what is transient", async () => {
    const made = await orders.create(ctx, { ...order(), cached: "x" });
    expect(made.id).toMatch(/^[0-9a-z]{24}$/);
    expect(await orders.get(ctx, made.id)).toEqual({ id: made.id, ...order() });
    expect(await orders.get(ctx, made.id)).not.toHaveProperty("cached");
  });

  test("each read of a document that does not fit its type is counted, and no write that is refused", async () => {
    const metrics = new MetricStore();
    const field = { name: "note", type: "string", optional: false, is: (value: unknown) => typeof value === "string" };
    const entities = [{ ...bundled, alternatives: [[field]] }];
    const { host } = createApplication({ ...bundleOf([]), entities }, { settings: settings.test, platform, metrics });
    const strict = { [HOST]: host, requestId: "r2" } as unknown as Context;
    await orders.create(ctx, { id: "old", ...order({ buyer: "misfit" }) });
    await orders.create(ctx, { id: "new", ...order({ note: "fits" }) });
    const query = orders.query().where("buyer", "==", "misfit");
    const reads = [
      () => orders.get(strict, "old"),
      () => orders.find(strict, "old"),
      () => orders.getMany(strict, ["new", "old"]),
      () => query.all(strict),
      () => query.page(strict),
      () => orders.update(strict, "old", () => {}),
    ];
    for (const read of reads) await expect(read()).rejects.toThrow("has no note");
    await expect(orders.put(strict, { id: "old", ...order() })).rejects.toThrow("it was not written");
    await orders.get(strict, "new");
    expect(metrics.snapshot().series).toEqual([
      { name: "misfits", kind: "counter", labels: { of: "entity orders" }, value: reads.length },
    ]);
    for (const id of ["old", "new"]) await orders.delete(ctx, id);
  });

  test("create refuses an existing id with 409", async () => {
    await orders.create(ctx, { id: "twice", ...order() });
    await expect(orders.create(ctx, { id: "twice", ...order() })).rejects.toMatchObject({ status: 409 });
    await expect(transaction(ctx, (tx) => orders.create(tx, { id: "twice", ...order() }))).rejects.toMatchObject({
      status: 409,
    });
  });

  test("a miss is NotFound for get and update, undefined for find, and nothing for delete", async () => {
    await expect(orders.get(ctx, "none")).rejects.toEqual(NotFound());
    await expect(orders.update(ctx, "none", (each) => each)).rejects.toEqual(NotFound());
    expect(await orders.find(ctx, "none")).toBeUndefined();
    await orders.delete(ctx, "none");
  });

  test.each(["", "__x__", "_fw_x", "x".repeat(1501)])("the id %j is never found, and refused with 400", async (id) => {
    await expect(orders.get(ctx, id)).rejects.toEqual(NotFound());
    await expect(orders.put(ctx, { id, ...order() })).rejects.toMatchObject({ status: 400 });
  });

  test("a document over 1 MiB is refused with 413, also in a transaction", async () => {
    const large = { id: "large", ...order({ note: "x".repeat(1 << 20) }) };
    await expect(orders.put(ctx, large)).rejects.toMatchObject({ status: 413 });
    await expect(transaction(ctx, (tx) => orders.put(tx, large))).rejects.toMatchObject({ status: 413 });
    await expect(orders.create(ctx, large)).rejects.toMatchObject({ status: 413 });
  });

  test.each([
    ["a text of over 1,500 bytes", { buyer: "x".repeat(1501) }],
    ["half a character", { buyer: "\ud800" }],
    ["over 1,000 elements", { tags: Array.from({ length: 1001 }, (_, n) => `t${n}`) }],
    ["a date before the year 1", { placed: new Date("0000-01-01T00:00:00Z") }],
  ])("an indexed field that holds %s is refused with 400", async (_what, fields) => {
    await expect(orders.put(ctx, { id: "indexed", ...order(fields) })).rejects.toMatchObject({ status: 400 });
  });

  test("an object where a value is indexed is a fault", async () => {
    const wrong = { id: "indexed", ...order({ buyer: { name: "ann" } as unknown as string }) };
    await expect(orders.put(ctx, wrong)).rejects.toMatchObject({ code: "document" });
  });

  test.each([
    ["of the name __proto__", '[{ "name": "x", "__proto__": { "bad": true } }]'],
    ["that is a list in a list", '[[{ "name": "x" }]]'],
  ])("a field %s is refused with 400, as the deployed database would", async (_what, lines) => {
    const wrong = order({ lines: JSON.parse(lines) as Order["lines"] });
    await expect(orders.create(ctx, wrong)).rejects.toMatchObject({ status: 400 });
  });
});

describe("transactions", () => {
  test("100 concurrent updates of one document are all there", async () => {
    await orders.put(ctx, { id: "count", ...order({ serial: 0n }) });
    const add = () => orders.update(ctx, "count", (each) => void (each.serial += 1n));
    await Promise.all(Array.from({ length: 100 }, add));
    expect((await orders.get(ctx, "count")).serial).toBe(100n);
  });

  test("all of a transaction is written, or nothing", async () => {
    await orders.put(ctx, { id: "one", ...order({ note: "before" }) });
    const failing = transaction(ctx, async (tx) => {
      await orders.put(tx, { ...(await orders.get(tx, "one")), note: "after" });
      await orders.put(tx, { id: "two", ...order() });
      expect((await orders.get(tx, "one")).note).toBe("after");
      throw new StatusError(422, "no");
    });
    await expect(failing).rejects.toMatchObject({ status: 422 });
    expect((await orders.get(ctx, "one")).note).toBe("before");
    expect(await orders.find(ctx, "two")).toBeUndefined();
  });

  test("an update inside a transaction is part of it", async () => {
    await orders.put(ctx, { id: "inner", ...order() });
    await transaction(ctx, async (tx) => {
      await orders.update(tx, "inner", (each) => ({ ...each, status: "paid" }));
      expect((await orders.get(ctx, "inner")).status).toBe("open");
    });
    expect((await orders.get(ctx, "inner")).status).toBe("paid");
  });

  test("the context of a transaction that has ended is a fault", async () => {
    const kept = await transaction(ctx, async (tx) => tx);
    await expect(orders.get(kept, "one")).rejects.toThrow("after the transaction ended");
  });
});

describe("queries", () => {
  beforeAll(async () => {
    for (let n = 1; n <= 25; n += 1) {
      await orders.put(ctx, {
        id: `q${n}`,
        ...order({ buyer: "bob", placed: day(n), tags: n % 5 === 0 ? ["five"] : [] }),
      });
    }
  });

  const mine = () => orders.query().where("buyer", "==", "bob").orderBy("placed", "desc");

  test("pages follow one another, and the last has no next", async () => {
    const first = await mine().page(ctx);
    expect(first.items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => `q${25 - i}`));
    const second = await mine().page(ctx, first.next);
    expect(second.items.map(({ id }) => id)).toEqual(["q5", "q4", "q3", "q2", "q1"]);
    expect(second).not.toHaveProperty("next");
    expect((await mine().limit(1).page(ctx, "")).items[0]?.id).toBe("q25");
  });

  test("a cursor that was altered, or is another query's, is a 400", async () => {
    const { next = "" } = await mine().limit(2).page(ctx);
    const altered = next.slice(0, -2) + (next.endsWith("AA") ? "BB" : "AA");
    await expect(mine().page(ctx, altered)).rejects.toMatchObject({ status: 400 });
    await expect(mine().page(ctx, "junk")).rejects.toMatchObject({ status: 400 });
    const other = orders.query().where("buyer", "==", "ann").orderBy("placed", "desc");
    await expect(other.page(ctx, next)).rejects.toMatchObject({ status: 400 });
  });

  test("all, first, count, each and contains", async () => {
    const five = orders.query().where("tags", "contains", "five");
    expect((await five.all(ctx)).map(({ id }) => id)).toEqual(["q10", "q15", "q20", "q25", "q5"]);
    expect(await five.count(ctx)).toBe(5);
    expect(await mine().limit(3).count(ctx)).toBe(3);
    expect((await mine().first(ctx))?.id).toBe("q25");
    expect(await orders.query().where("buyer", "==", "nobody").first(ctx)).toBeUndefined();
    const seen: string[] = [];
    for await (const { id } of mine().limit(2).each(ctx)) seen.push(id);
    expect(seen).toEqual(["q25", "q24"]);
  });

  test.each([0, -1, 1.5, 1001, Number.NaN])("a limit of %s is a 400", async (limit) => {
    await expect(mine().limit(limit).page(ctx)).rejects.toMatchObject({ status: 400 });
    await expect(mine().limit(limit).all(ctx)).rejects.toMatchObject({ status: 400 });
  });

  test("countBy counts the documents with each value of the type, also in a transaction", async () => {
    for (const id of ["c1", "c2", "c3"]) await orders.put(ctx, { id, ...order({ buyer: "cat" }) });
    const theirs = orders.query().where("buyer", "==", "cat");
    expect(await theirs.countBy(ctx, "status")).toEqual([
      { value: "open", count: 3 },
      { value: "paid", count: 0 },
    ]);
    const counts = await transaction(ctx, async (tx) => {
      await orders.update(tx, "c1", (each) => ({ ...each, status: "paid" as const }));
      await expect(theirs.countBy(tx, "status")).rejects.toMatchObject({ code: "query" });
    }).then(() => theirs.limit(1).countBy(ctx, "status"));
    expect(counts.map(({ count }) => count)).toEqual([2, 1]);
    const held = theirs.where("status", "==", "paid").countBy(ctx, "status");
    expect((await held).map(({ count }) => count)).toEqual([0, 1]);
  });

  test("an offset skips documents, and the pages after it continue at their cursors", async () => {
    const all = (await mine().all(ctx)).map(({ id }) => id);
    const from = (offset: number) => mine().offset(offset);
    expect((await from(3).limit(2).all(ctx)).map(({ id }) => id)).toEqual(all.slice(3, 5));
    expect((await from(22).all(ctx)).map(({ id }) => id)).toEqual(all.slice(22));
    expect([(await from(24).first(ctx))?.id, await from(25).first(ctx)]).toEqual([all[24], undefined]);
    expect([await from(3).count(ctx), await from(1000).all(ctx)]).toEqual([25, []]);
    const page = await from(4).limit(2).page(ctx);
    await orders.put(ctx, { id: "q99", ...order({ buyer: "bob", placed: day(99) }) });
    const next = await from(4).limit(2).page(ctx, page.next);
    expect([...page.items, ...next.items].map(({ id }) => id)).toEqual(all.slice(4, 8));
    await orders.delete(ctx, "q99");
    const seen: string[] = [];
    for await (const { id } of from(23).each(ctx)) seen.push(id);
    expect(seen).toEqual(all.slice(23));
  });

  test.each([-1, 1.5, 1001, Number.NaN])("an offset of %s is a 400", async (offset) => {
    await expect(mine().offset(offset).page(ctx)).rejects.toMatchObject({ status: 400 });
    await expect(mine().offset(offset).first(ctx)).rejects.toMatchObject({ status: 400 });
  });

  test("in with more than 30 values is a 400, and a value that no document can have finds nothing", async () => {
    const among = (values: string[]) => orders.query().where("buyer", "in", values);
    const many = Array.from({ length: 31 }, (_, n) => `b${n}`);
    await expect(among(many).all(ctx)).rejects.toMatchObject({ status: 400 });
    await expect(among(many).count(ctx)).rejects.toMatchObject({ status: 400 });
    await expect(among(many).page(ctx)).rejects.toMatchObject({ status: 400 });
    expect(await among(["x".repeat(1501)]).all(ctx)).toEqual([]);
  });

  test("a range from what no document can have is a 400", async () => {
    const late = orders.query().where("placed", ">", new Date("0000-01-01T00:00:00Z"));
    await expect(late.all(ctx)).rejects.toMatchObject({ status: 400 });
  });

  test("a query without a limit that finds more than 10,000 documents is a fault", async () => {
    const many = Array.from({ length: 10_001 }, (_, i) =>
      orders.put(ctx, { id: `m${i}`, ...order({ buyer: "many" }) }),
    );
    await Promise.all(many);
    const theirs = orders.query().where("buyer", "==", "many");
    await expect(theirs.all(ctx)).rejects.toThrow("more than 10000 results");
    expect(await theirs.limit(1000).all(ctx)).toHaveLength(1000);
  });

  test("the id is compared and ordered by like an indexed field", async () => {
    for (const id of ["by-a", "by-b", "by-c", "by-d"])
      await orders.put(ctx, { id, ...order({ status: id === "by-b" ? "open" : "paid" }) });
    const ids = async (q: EntityQuery<Order>): Promise<string[]> => (await q.all(ctx)).map(({ id }) => id);
    const range = orders.query().where("id", ">", "by-a").where("id", "<=", "by-d");
    expect(await ids(range)).toEqual(["by-b", "by-c", "by-d"]);
    expect(await ids(range.orderBy("id", "desc").limit(2))).toEqual(["by-d", "by-c"]);
    expect(await ids(range.where("status", "==", "paid").orderBy("id", "desc"))).toEqual(["by-d", "by-c"]);
    expect(await ids(orders.query().where("id", "in", ["by-c", "by-a", "none"]))).toEqual(["by-a", "by-c"]);
    const { items, next } = await range.limit(2).page(ctx);
    expect(items.map(({ id }) => id)).toEqual(["by-b", "by-c"]);
    expect((await range.limit(2).page(ctx, next)).items.map(({ id }) => id)).toEqual(["by-d"]);
    await orders.delete(ctx, "by-c");
    expect(await range.count(ctx)).toBe(2);
  });

  test("a query that the deployed indexes would not serve fails", async () => {
    const unserved = orders.query().where("status", "==", "open").orderBy("placed");
    await expect(unserved.all(ctx)).rejects.toMatchObject({ code: "index" });
  });
});

test("over HTTP a miss is 404, also inside of a transaction, and a fault stays opaque", async () => {
  const endpoints = apis({
    "GET /orders/{id}": (ctx, { params }) => orders.get(ctx, params[0] ?? ""),
    "GET /inside/{id}": (ctx, { params }) =>
      transaction(ctx, async (tx) => {
        tx.log.info("inside");
        return orders.get(tx, params[0] ?? "");
      }),
    "GET /unserved": (ctx) => orders.query().where("status", "==", "open").orderBy("placed").all(ctx),
  });
  await using app = await start({ ...bundleOf(endpoints), entities: [bundled] }, { platform });
  const status = async (path: string): Promise<number> => (await fetch(app.url + path)).status;
  expect([await status("/orders/nope"), await status("/inside/nope")]).toEqual([404, 404]);
  const fault = await fetch(`${app.url}/unserved`);
  expect([fault.status, await fault.json()]).toEqual([500, { error: "internal error" }]);
});
