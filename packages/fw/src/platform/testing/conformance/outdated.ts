import { expect, test } from "vitest";
import type { Definitions, EntityStore, KindDefinition, Platform, Query } from "../../contract.ts";
import { outdatedProperty } from "../../definitions.ts";
import { failure, fixture, idsOf } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const key = (id: string) => ({ kind: "order", id });

const before: Definitions = { kinds: [kindWith([{ name: "buyer" }])] };

/** Definitions with a rule that fills in `total` for older documents. */
const after: Definitions = {
  kinds: [
    kindWith([{ name: "buyer" }, { name: "total", ruled: true }, { name: outdatedProperty, outdated: "total: int" }]),
  ],
};

/** Definitions with the same rules as `after` that also index `note`. */
const later: Definitions = {
  kinds: [
    kindWith([
      { name: "buyer" },
      { name: "note" },
      { name: "total", ruled: true },
      { name: outdatedProperty, outdated: "total: int" },
    ]),
  ],
};

const byTotal: Query = query({ filters: [{ property: "total", op: "==", value: 1 }] });
const sorted: Query = query({ orders: [{ property: "total", direction: "asc" }] });
const byBuyer: Query = query({ filters: [{ property: "buyer", op: "==", value: "ann" }] });
const outdated: Query = query({ filters: [{ property: outdatedProperty, op: "==", value: true }] });

/** A platform that also serves code of other versions. */
type Versioned = Platform & { builtWith(definitions: Definitions): Platform };

/** Tests documents of an older version in indexes of properties that a rule fills in. */
export function outdatedTests(open: OpenPlatform): void {
  test("queries by a property with a rule fail while a document is outdated, and others answer", async () => {
    const { old, now } = await versions(open);
    await old.insert(key("a"), { buyer: "ann" });
    for (const ask of [() => now.query(byTotal), () => now.query(sorted), () => now.count(byTotal)])
      expect(await failure(ask)).toBe("filling");
    expect(await failure(() => now.total(query({}), "total"))).toBe("filling");
    expect(idsOf((await now.query(byBuyer)).documents)).toEqual(["a"]);
    expect(idsOf((await old.query(byBuyer)).documents)).toEqual(["a"]);
    expect(idsOf((await now.query(outdated)).documents)).toEqual(["a"]);
  });

  test("documents that were there before the rule are outdated, and one that is rewritten is not", async () => {
    const platform = await fixture(open, undefined, before);
    for (const id of ["a", "b"]) await platform.entities.insert(key(id), { buyer: "ann" });
    await (await platform.prepare?.(after))?.commit();
    const { entities } = platform;
    expect(await entities.count(outdated)).toBe(2);
    await entities.update(key("a"), { buyer: "ann", total: 1 });
    expect(idsOf((await entities.query(outdated)).documents)).toEqual(["b"]);
    await entities.delete(key("b"));
    expect(idsOf((await entities.query(byTotal)).documents)).toEqual(["a"]);
  });

  test("a document that an older version writes again is outdated again", async () => {
    const { old, now } = await versions(open);
    await now.insert(key("a"), { buyer: "ann", total: 1 });
    expect(idsOf((await now.query(byTotal)).documents)).toEqual(["a"]);
    await old.update(key("a"), { buyer: "bob" });
    await old.update(key("a"), { buyer: "ann" });
    expect(await failure(() => now.query(byTotal))).toBe("filling");
    await now.upsert(key("a"), { buyer: "ann", total: 1 });
    expect(idsOf((await now.query(byTotal)).documents)).toEqual(["a"]);
    expect(await now.count(outdated)).toBe(0);
  });

  test("in a transaction the same holds, for queries and writes", async () => {
    const { old, now } = await versions(open);
    const earlier = await old.begin();
    earlier.insert(key("a"), { buyer: "ann" });
    await earlier.commit();
    const reading = await now.begin();
    expect(await failure(() => reading.query(byTotal))).toBe("filling");
    const rewriting = await now.begin();
    await rewriting.get(key("a"));
    rewriting.update(key("a"), { buyer: "ann", total: 1 });
    await rewriting.commit();
    expect(idsOf((await now.query(byTotal)).documents)).toEqual(["a"]);
  });

  test("a version with the same rules writes documents that are not outdated", async () => {
    const { platform, now } = await versions(open);
    await now.insert(key("a"), { buyer: "ann", total: 1 });
    await (await platform.prepare?.(later))?.commit();
    const last = platform.builtWith(later).entities;
    await now.upsert(key("b"), { buyer: "ann", total: 1 });
    await last.upsert(key("c"), { buyer: "ann", total: 1 });
    expect(await last.count(outdated)).toBe(0);
    expect(idsOf((await now.query(byTotal)).documents)).toEqual(["a", "b", "c"]);
  });
}

/** Opens an empty store for two versions of the code. */
async function versions(
  open: OpenPlatform,
): Promise<{ readonly platform: Versioned; readonly old: EntityStore; readonly now: EntityStore }> {
  const platform = (await fixture(open, undefined, before)) as Versioned;
  const old = platform.builtWith(before).entities;
  await (await platform.prepare?.(after))?.commit();
  return { platform, old, now: platform.builtWith(after).entities };
}

function kindWith(properties: KindDefinition["properties"]): KindDefinition {
  return { kind: "order", properties, composites: [] };
}

function query(more: Partial<Query>): Query {
  return { kind: "order", filters: [], orders: [], limit: 10, ...more };
}
