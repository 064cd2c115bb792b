import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Definitions, EntityStore, Query } from "../contract.ts";
import { asc, desc, idsOf, item } from "../testing/conformance/fixture.ts";
import { reference } from "../testing/conformance/reference.ts";
import type { Fields, Scalar } from "../values.ts";
import { indexProblems } from "./check/indexes.ts";
import { openLocal } from "./open.ts";
import { openDatabase } from "./sqlite.ts";
import { tries } from "../../lib/testing/tries.ts";
import { redefine } from "../testing/redefine.ts";

const numRuns = tries(3);

/** The number of initial documents: more than one batch of the index fill. */
const documents = 1200;

const scalar = fc.constantFrom<Scalar>(0, 1, 2, "x", "y", null, new Date(0), -0, 5n);
const fields: fc.Arbitrary<Fields> = fc.record({
  a: fc.option(scalar, { nil: undefined }),
  b: scalar,
  c: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
});
const writeResult = fc.tuple(
  fc.integer({ min: 0, max: documents + 100 }),
  fc.option(fields, { nil: undefined, freq: 5 }),
);
const definitions: fc.Arbitrary<Definitions> = fc
  .record({
    properties: fc.subarray(["a", "b", "c"]),
    composites: fc.subarray([
      [asc("a"), asc("b")],
      [asc("a"), desc("b")],
      [asc("b"), asc("a")],
      [asc("c"), desc("b")],
    ]),
    many: fc.boolean(),
    named: fc.boolean(),
  })
  .map(({ properties, composites, many, named }) => ({
    kinds: [
      {
        kind: named ? "item" : "renamed",
        properties: properties.map((name) => (name === "c" && many ? { name, many } : { name })),
        composites: composites
          .filter((orders) => orders.every(({ property }) => properties.includes(property)))
          .map((orders) => ({ properties: orders })),
      },
    ],
  }));

test(
  "whatever definitions are prepared, committed and abandoned while others write, queries find what looking at every document finds",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fields, { minLength: 20, maxLength: 20 }),
        fc.array(fc.tuple(definitions, fc.array(writeResult, { maxLength: 60 }), fc.boolean()), {
          minLength: 2,
          maxLength: 5,
        }),
        async (shapes, changes) => {
          const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
          const first = { kinds: [{ kind: "item", properties: [{ name: "b" }], composites: [] }] };
          const platform = await openLocal(directory, first, { temporary: true });
          const model = new Map<string, Fields>();
          try {
            const { entities } = platform;
            await Promise.all(
              Array.from({ length: documents }, (_, i) => write(entities, model, i, shapes[i % shapes.length])),
            );
            let current: Definitions = first;
            for (const [next, writes, commits] of changes) {
              const writing = writeAll(entities, model, writes);
              const change = await platform.prepare(next);
              await expectExact(entities, model, current);
              const committed = commits ? change.commit() : change.abandon();
              if (commits) current = next;
              await expectExact(entities, model, current);
              await Promise.all([writing, committed]);
              await expectExact(entities, model, current);
            }
          } finally {
            await platform.close();
          }
          await expectExactAfterStart(directory, model, changes.at(-1)?.[0] ?? first);
          const database = openDatabase(join(directory, "store"));
          expect([...indexProblems(database)]).toEqual([]);
          database.close();
          await rm(directory, { recursive: true });
        },
      ),
      { numRuns },
    );
  },
  60_000 * numRuns,
);

/** Opens the store with definitions that may have been abandoned: their partial fills must not count as complete. */
async function expectExactAfterStart(
  directory: string,
  model: Map<string, Fields>,
  definitions: Definitions,
): Promise<void> {
  const platform = await openLocal(directory, definitions, { temporary: true });
  await expectExact(platform.entities, model, definitions);
  await platform.close();
}

/** Writes several times per turn of the event loop. Each finished write updates the model. */
async function writeAll(
  entities: EntityStore,
  model: Map<string, Fields>,
  writes: readonly [number, Fields | undefined][],
): Promise<void> {
  const done: Promise<void>[] = [];
  for (const [i, [id, shape]] of writes.entries()) {
    done.push(write(entities, model, id, shape));
    if (i % 7 === 0) await nextTurn();
  }
  await Promise.all(done);
}

async function write(
  entities: EntityStore,
  model: Map<string, Fields>,
  number: number,
  shape: Fields | undefined,
): Promise<void> {
  const id = `i${number}`;
  const writing: Promise<unknown> = shape === undefined ? entities.delete(item(id)) : entities.upsert(item(id), shape);
  // Both outcomes take the same number of promise steps, so writes of one commit stay in order.
  const writeResult = await writing.then(
    () => true,
    () => false,
  );
  if (!writeResult) return;
  if (shape === undefined) model.delete(id);
  else model.set(id, shape);
}

/** Expects queries to match the model. Call it once every committed write is in the model. */
async function expectExact(entities: EntityStore, model: Map<string, Fields>, { kinds }: Definitions): Promise<void> {
  if (kinds[0]?.kind !== "item") return;
  const many = kinds[0].properties.some((property) => property.many);
  for (const query of queriesOf(kinds[0])) {
    await nextTurn();
    const expected = reference(many ? model : withoutLists(model), query);
    const [page, count] = await Promise.all([entities.query(query), entities.count(query)]);
    expect(idsOf(page.documents)).toEqual(expected.slice(0, query.limit));
    expect(count).toBe(expected.length);
  }
}

/** Returns documents as a single-value index sees them: without lists, which older code may have written. */
function withoutLists(model: ReadonlyMap<string, Fields>): Map<string, Fields> {
  return new Map(
    [...model].map(([id, { c, ...others }]): [string, Fields] => [
      id,
      Array.isArray(c) || c === undefined ? others : { ...others, c },
    ]),
  );
}

function queriesOf({ properties, composites }: Definitions["kinds"][number]): Query[] {
  const all = { kind: "item", limit: 1000 } as const;
  return [
    ...properties.map(({ name }): Query => ({ ...all, filters: [{ property: name, op: "==", value: 1 }], orders: [] })),
    ...composites
      .filter((index) => !index.properties.some(({ property }) => property === "c"))
      .map((index): Query => ({ ...all, filters: [], orders: index.properties })),
  ];
}

test("a fill that fails leaves everything as it was, and the same definitions work later", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const before: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }] };
  const after: Definitions = { kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }] };
  const query = { kind: "item", filters: [{ property: "a", op: "==", value: 1 }], orders: [] } as const;
  const first = await openLocal(directory, before);
  await Promise.all(Array.from({ length: 1200 }, (_, i) => first.entities.insert(item(`i${i}`), { a: 1 })));
  await first.close();
  const database = openDatabase(join(directory, "store"));
  database.exec("UPDATE documents SET body = 'damaged' WHERE id = 'i999'");
  database.close();
  const platform = await openLocal(directory, before);
  onTestFinished(() => platform.close());
  await expect(redefine(platform, after)).rejects.toThrow(/a stored document is damaged/);
  await expect(platform.entities.count(query)).rejects.toThrow("item.a is not indexed");
  await platform.entities.upsert(item("i999"), { a: 1 });
  await redefine(platform, after);
  expect(await platform.entities.count(query)).toBe(1200);
});

test("while requests wait, no step of a fill has more than 32 documents or 64 kB and one document", async () => {
  for (const characters of [100, 30_000]) {
    const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const before: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }] };
    const platform = await openLocal(directory, before, { temporary: true });
    const { entities } = platform;
    const text = "x".repeat(characters);
    await Promise.all(Array.from({ length: 300 }, (_, i) => entities.upsert(item(`i${i}`), { a: i, text })));
    const ending = new AbortController();
    const after: Definitions = { kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }] };
    const filling = platform.prepare(after, ending.signal).catch((error: unknown) => error);
    const steps: number[] = [];
    let done = 0;
    for (let turn = 0; steps.length < 4; turn++) {
      await Promise.all([entities.get(item(`i${turn % 300}`)), nextTurn()]);
      const [fill] = await platform.fills();
      if (fill === undefined || fill.done === done) continue;
      steps.push(fill.done - done);
      done = fill.done;
    }
    ending.abort();
    await filling;
    expect(Math.max(...steps)).toBeLessThanOrEqual(characters === 100 ? 32 : 3);
    await platform.close();
  }
});

test("an index has exactly the values of documents that change while their entries wait for a step", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const before: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }] };
  const platform = await openLocal(directory, before, { temporary: true });
  const { entities } = platform;
  await Promise.all(Array.from({ length: 400 }, (_, i) => entities.upsert(item(`i${i}`), { a: i })));
  const after: Definitions = { kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }] };
  const filling = platform.prepare(after);
  const [changed, deleted] = [item("i0"), item("i1")];
  for (let isCollected = false; !isCollected; await nextTurn())
    isCollected = ((await platform.fills())[0]?.done ?? 0) > 1;
  await Promise.all([entities.upsert(changed, { a: 1000 }), entities.delete(deleted)]);
  await (await filling).commit();
  const query = { kind: "item", filters: [], orders: [{ property: "a", direction: "asc" }] } as const;
  const { documents } = await entities.query({ ...query, limit: 1000 });
  expect(documents.map(({ id }) => id)).toEqual([...Array.from({ length: 398 }, (_, i) => `i${i + 2}`), "i0"]);
  await platform.close();
  const database = openDatabase(join(directory, "store"));
  expect([...indexProblems(database)]).toEqual([]);
  database.close();
});

test("an index that was filled by an earlier fw is filled again", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const definitions: Definitions = { kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }] };
  const query = { kind: "item", filters: [{ property: "a", op: "==", value: 1 }], orders: [] } as const;
  const first = await openLocal(directory, definitions);
  await Promise.all(Array.from({ length: 50 }, (_, i) => first.entities.insert(item(`i${i}`), { a: 1 })));
  await first.close();
  const database = openDatabase(join(directory, "store"));
  database.exec("DELETE FROM entries WHERE id LIKE 'i1%'; PRAGMA user_version = 3");
  database.close();
  const platform = await openLocal(directory, definitions);
  onTestFinished(() => platform.close());
  expect(await platform.entities.count(query)).toBe(50);
});

test("what code of before may do, it may still do: its kinds, its queries, its buckets", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const kind = { properties: [{ name: "a" }, { name: "b" }], composites: [{ properties: [asc("a"), desc("b")] }] };
  const platform = await openLocal(directory, { kinds: [{ kind: "item", ...kind }], buckets: ["old"] });
  onTestFinished(() => platform.close());
  const { entities, objects } = platform;
  await entities.insert(item("x"), { a: 1, b: 1 });
  const transaction = await entities.begin();
  await redefine(platform, { kinds: [{ kind: "renamed", ...kind }], buckets: ["new"] });
  await entities.update(item("x"), { a: 1, b: 2 });
  const page = await entities.query({
    kind: "item",
    filters: [{ property: "a", op: "==", value: 1 }],
    orders: [desc("b")],
    limit: 1,
  });
  expect(page.documents.map(({ fields }) => fields)).toEqual([{ a: 1, b: 2 }]);
  transaction.insert(item("y"), { a: 1, b: 3 });
  await transaction.commit();
  await entities.delete(item("x"));
  expect(await entities.count({ kind: "item", filters: [], orders: [] })).toBe(1);
  expect(await objects.find("old", "nothing")).toBeUndefined();
});

test("duplicates from before a field became unique are reported and stay, and no further document gets one", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const kinds = (unique: boolean): Definitions => ({
    kinds: [{ kind: "item", properties: [{ name: "a", ...(unique && { unique }) }], composites: [] }],
  });
  const before = await openLocal(directory, kinds(false));
  for (const [id, a] of [
    ["x", "one"],
    ["y", "one"],
    ["z", "two"],
    ["n", null],
    ["m", null],
  ] as const)
    await before.entities.insert(item(id), { a });
  await before.close();

  const messages: string[] = [];
  const open = (unique: boolean) =>
    openLocal(directory, kinds(unique), { warn: (sentence) => messages.push(sentence) });
  const after = await open(true);
  expect(messages.splice(0)).toEqual([
    `item: the documents "x", "y" have the same a, although it is Unique. fw leaves them unchanged; give all but one another value`,
  ]);
  await after.entities.update(item("x"), { a: "one", more: true });
  for (const a of ["one", "two"])
    await expect(after.entities.insert(item("new"), { a })).rejects.toThrow(/another document has its a/);
  await after.close();

  const again = await open(true);
  expect(messages.splice(0)).toHaveLength(1);
  await again.entities.update(item("y"), { a: "three" });
  await again.close();
  const clean = await open(true);
  expect(messages).toEqual([]);
  await redefine(clean, kinds(false));
  await clean.entities.update(item("y"), { a: "one" });
  await redefine(clean, kinds(true));
  expect(messages).toHaveLength(1);
  await clean.close();
  const database = openDatabase(join(directory, "store"));
  expect([...indexProblems(database)]).toEqual([]);
  database.close();
});

test("values that several documents share are found wherever they are in a large index, and requests run meanwhile", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const kinds = (unique: boolean): Definitions => ({
    kinds: [{ kind: "item", properties: [{ name: "a", ...(unique && { unique }) }], composites: [] }],
  });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const platform = await openLocal(directory, kinds(false), { temporary: true, warn });
  onTestFinished(() => platform.close());
  const { entities } = platform;
  const values = Array.from({ length: 4_500 }, (_, i) => String(i).padStart(4, "0"));
  // A step reads 1,000 entries. Shared values are before, across and after its end; one occurs three times.
  const shared = ["0000", "0500", "0996", "0997", "0998", "0999", "1997", "4499", "4499"];
  const nulls = Array.from({ length: 1_500 }, () => null);
  await Promise.all([...values, ...shared, ...nulls].map((a, i) => entities.insert(item(`i${i}`), { a })));
  const prepared = await platform.prepare(kinds(true));
  const committed = prepared.commit().then(() => "committed");
  let turns = 0;
  while ((await Promise.race([committed, nextTurn("a turn")])) === "a turn") turns++;
  expect(turns).toBeGreaterThanOrEqual(6);
  const ids = warnings.map((sentence) => [...sentence.matchAll(/"(i\d+)"/g)].map(([, id]) => id));
  expect(ids).toHaveLength(new Set(shared).size);
  for (const [i, a] of [...new Set(shared)].entries()) expect(ids[i]).toContain(`i${Number(a)}`);
  expect(ids.at(-1)).toHaveLength(3);
});

test("while a list becomes a single value, code of before finds all that it would have found", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-redefine-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const kinds = (many: boolean): Definitions => ({
    kinds: [{ kind: "item", properties: [many ? { name: "tags", many } : { name: "tags" }], composites: [] }],
  });
  const platform = await openLocal(directory, kinds(true));
  onTestFinished(() => platform.close());
  const before = platform.builtWith(kinds(true)).entities;
  await before.insert(item("x"), { tags: ["a", "b"] });
  await redefine(platform, kinds(false));
  const after = platform.builtWith(kinds(false)).entities;
  await before.insert(item("y"), { tags: ["b"] });
  await after.insert(item("z"), { tags: "b" });
  const query = { kind: "item", filters: [{ property: "tags", op: "==", value: "b" }], orders: [], limit: 10 } as const;
  expect(idsOf((await before.query(query)).documents)).toEqual(["x", "y", "z"]);
  expect(await before.count(query)).toBe(3);
  expect(idsOf((await after.query(query)).documents)).toEqual(["z"]);
});
