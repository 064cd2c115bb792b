import { expect, test } from "vitest";
import type { Definitions, EntityStore, KindDefinition, Platform, Query } from "../../contract.ts";
import type { Scalar, Value } from "../../values.ts";
import { failure, fixture, idsOf } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const key = (id: string) => ({ kind: "order", id });

const older: Definitions = definitions([
  { name: "amount", type: "number" },
  { name: "note", type: "string|undefined" },
  { name: "tags", many: true, type: "string[]" },
  { name: "@tenant" },
]);

/** Definitions that rename `amount` and change the types of `note` and `tags`. */
const newer: Definitions = definitions([
  { name: "total", type: "number" },
  { name: "note", type: "date" },
  { name: "tags", type: "string" },
  { name: "@tenant" },
]);

const fitting = { amount: 1, note: "x", tags: ["x"], "@tenant": "t" };
const byAmount = query({ filters: [{ property: "amount", op: "==", value: 1 }] });
const byNote = query({ filters: [{ property: "note", op: "==", value: "x" }] });
const byTag = query({ filters: [{ property: "tags", op: "==", value: "x" }] });
const sorted = query({ orders: [{ property: "amount", direction: "asc" }] });

/** Fields of each type, with their values in two documents. */
const ofEachType: readonly {
  readonly name: string;
  readonly type: string;
  readonly many?: true;
  readonly full: Value;
  readonly sparse?: Value;
}[] = [
  { name: "text", type: "string", full: "x", sparse: "" },
  { name: "optional", type: "string|undefined", full: "x" },
  { name: "nullable", type: "null|string", full: "x", sparse: null },
  { name: "date", type: "date", full: new Date(1), sparse: new Date(-1) },
  { name: "big", type: "bigint", full: 2n ** 60n, sparse: 0n },
  { name: "number", type: "number", full: 1.5, sparse: -0 },
  { name: "mixed", type: "bigint|boolean|number", full: 3, sparse: 3n },
  { name: "texts", type: "string[]", many: true, full: ["x", "y"], sparse: [] },
  { name: "dates", type: "date[]|undefined", many: true, full: [new Date(1), new Date(2)] },
];

function indexOf(name: string, many: true | undefined): KindDefinition["properties"][number] {
  return { name, ...(many && { many }) };
}

/** Tests documents of another version that this version's indexes do not contain. */
export function unfitTests(open: OpenPlatform): void {
  test("a query that would miss a document of another version fails, and names the document and the field", async () => {
    const { before, after } = await versions(open);
    await before.insert(key("a"), fitting);
    await before.insert(key("none"), { amount: 1, tags: [], "@tenant": "t" });
    expect(idsOf((await before.query(byAmount)).documents)).toEqual(["a", "none"]);
    expect(idsOf((await before.query(byNote)).documents)).toEqual(["a"]);
    await after.insert(key("b"), { total: 1, note: new Date(0), tags: "y", "@tenant": "t" });
    for (const asked of [byAmount, byNote, byTag, sorted]) {
      expect(await failure(() => before.query(asked))).toBe("unfit");
      expect(await failure(() => before.count(asked))).toBe("unfit");
    }
    expect(await failure(() => before.total(query({}), "amount"))).toBe("unfit");
    await expect(before.query(byAmount)).rejects.toThrow(
      'a query of "order" by amount would miss the document "b", whose amount does not fit',
    );
    const reading = await before.begin();
    expect(await failure(() => reading.query(byAmount))).toBe("unfit");
    expect(await before.count(query({}))).toBe(3);
    const byNone = query({ filters: [{ property: "amount", op: "in", value: [] }] });
    expect([await before.count(byNone), (await before.query(byNone)).documents]).toEqual([0, []]);
  });

  test("an empty list is not of the type of a single value, whichever version writes it", async () => {
    const { before, after } = await versions(open, [newer, older]);
    await after.insert(key("b"), { ...fitting, tags: [] });
    expect(await failure(() => before.query(query({ orders: [{ property: "tags", direction: "asc" }] })))).toBe(
      "unfit",
    );
  });

  test("the query answers again once the document has a value, or is deleted", async () => {
    const { before, after } = await versions(open);
    await after.insert(key("b"), { total: 1, note: new Date(0), tags: "y" });
    await after.insert(key("c"), { total: 1, note: new Date(0), tags: "y" });
    await before.update(key("b"), { ...fitting });
    expect(await failure(() => before.query(byAmount))).toBe("unfit");
    await before.delete(key("c"));
    expect(idsOf((await before.query(byAmount)).documents)).toEqual(["b"]);
    expect(idsOf((await before.query(byTag)).documents)).toEqual(["b"]);
  });

  test("documents that were there before a type changed are found as well", async () => {
    const platform = (await fixture(open, undefined, newer)) as Versioned;
    await platform.entities.insert(key("b"), { total: 1, note: new Date(0), tags: "y" });
    await (await platform.prepare?.(older))?.commit();
    const { entities } = platform.builtWith(older);
    expect(await failure(() => entities.query(byAmount))).toBe("unfit");
    await entities.upsert(key("b"), fitting);
    expect(idsOf((await entities.query(byAmount)).documents)).toEqual(["b"]);
  });

  test("once types are known, every document that has one of them is found as before", async () => {
    const platform = (await fixture(
      open,
      undefined,
      definitions(ofEachType.map(({ name, many }) => indexOf(name, many))),
    )) as Versioned;
    for (const id of ["full", "sparse"])
      await platform.entities.insert(
        key(id),
        Object.fromEntries(
          ofEachType.flatMap(({ name, [id as "full"]: value }) => (value === undefined ? [] : [[name, value]])),
        ),
      );
    const typed = definitions(ofEachType.map(({ name, many, type }) => ({ ...indexOf(name, many), type })));
    await (await platform.prepare?.(typed))?.commit();
    const { entities } = platform.builtWith(typed);
    await entities.insert(key("late"), Object.fromEntries(ofEachType.map(({ name, full }) => [name, full])));
    for (const { name, many, full } of ofEachType) {
      const value = many === true ? (full as readonly Scalar[])[0] : full;
      const matching = query({ filters: [{ property: name, op: "==", value: value as Scalar }] });
      expect([name, idsOf((await entities.query(matching)).documents)]).toEqual([name, ["full", "late"]]);
    }
  });

  test("a document of one tenant does not fail the queries of another", async () => {
    const { before, after } = await versions(open);
    await before.insert(key("a"), fitting);
    await after.insert(key("b"), { total: 1, note: new Date(0), tags: "y", "@tenant": "u" });
    const of = (tenant: string): Query => ({
      ...byAmount,
      filters: [{ property: "@tenant", op: "==", value: tenant }, ...byAmount.filters],
    });
    expect(idsOf((await before.query(of("t"))).documents)).toEqual(["a"]);
    expect(await failure(() => before.query(of("u")))).toBe("unfit");
  });
}

/** A platform that also serves code of other versions. */
type Versioned = Platform & { builtWith(definitions: Definitions): Platform };

/** Opens an empty store for two versions of the code. */
async function versions(
  open: OpenPlatform,
  [first, second]: readonly [Definitions, Definitions] = [older, newer],
): Promise<{ readonly before: EntityStore; readonly after: EntityStore }> {
  const platform = (await fixture(open, undefined, first)) as Versioned;
  const before = platform.builtWith(first).entities;
  expect(await before.count(byNote)).toBe(0);
  await (await platform.prepare?.(second))?.commit();
  return { before, after: platform.builtWith(second).entities };
}

function definitions(properties: KindDefinition["properties"]): Definitions {
  return { kinds: [{ kind: "order", properties, composites: [] }] };
}

function query(more: Partial<Query>): Query {
  return { kind: "order", filters: [], orders: [], limit: 10, ...more };
}
