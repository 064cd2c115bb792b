import { expect, onTestFinished, test, vi } from "vitest";
import { setTerms } from "../document.ts";
import { useTerms } from "../search-terms.ts";
import { searchProperty, unknownTerms } from "../../lib/derived-indexes.ts";
import type { Definitions } from "../contract.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { failure } from "../testing/conformance/fixture.ts";
import type { DatastoreValue } from "./entities/datastore-values.ts";
import { Datastore } from "./entities/datastore.ts";
import { fillIndexes, type FillOptions, type FillProgress } from "./entities/index-fill.ts";
import { settledMs } from "./entities/index-registry.ts";
import { openGcp } from "./open.ts";
import { unfitTests } from "../testing/conformance/unfit.ts";
import { onFake } from "./testing/fake.ts";
import { versionedPlatform } from "./testing/versioned-platform.ts";

type Indexes = Definitions["kinds"][number]["properties"];

/** Starts a fake cloud and returns functions that open versions of an application on it and fill their indexes. */
async function project() {
  const clock = new SteppedClock();
  const on = await onFake(clock);
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const version = async (indexes: Indexes) => {
    const definitions = { kinds: [{ kind: "orders", properties: indexes, composites: [] }] };
    const platform = await openGcp(on.place, definitions, on.cloud);
    onTestFinished(() => platform.close());
    return platform.entities;
  };
  const datastore = new Datastore(on.cloud, on.place);
  /** Advances the clock until the work is done. */
  const pass = async <T>(work: Promise<T>): Promise<T> => {
    const completion = work.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([completion, clock.advance(2_000)])));
    return work;
  };
  /** Fills the registered indexes, then advances the clock so that every process rereads the registry. */
  const fill = async (options?: FillOptions): Promise<void> => {
    await pass(fillIndexes(datastore, "orders", options));
    await clock.advance(30_000);
  };
  return { ...on, clock, version, datastore, pass, fill };
}

const keyOf = (id: string) => ({ kind: "orders", id });
const by = (property: string, value: string) =>
  ({ kind: "orders", filters: [{ property, op: "==", value }], orders: [], limit: 1000 }) as const;

test("a query by a new index fails until older documents are in it, and then finds them all", async () => {
  const { version, fill } = await project();
  const old = await version([{ name: "at" }]);
  await Promise.all(
    Array.from({ length: 230 }, (_, i) => old.upsert(keyOf(`o${i}`), { at: 1, buyer: i % 2 ? "ann" : "bob" })),
  );
  const now = await version([{ name: "at" }, { name: "buyer" }]);
  expect(await failure(() => now.query(by("buyer", "ann")))).toBe("filling");
  expect((await now.query({ ...by("at", "x"), filters: [] })).documents).toHaveLength(230);
  await fill();
  expect((await now.query(by("buyer", "ann"))).documents).toHaveLength(115);
  expect(await now.count(by("buyer", "bob"))).toBe(115);
});

test("older documents are found by their words once a fill is over, and so are those of older code", async () => {
  useTerms();
  const { version, fill } = await project();
  const old = await version([{ name: "at" }]);
  await old.upsert(keyOf("exact"), { at: 1, title: "Red shoes" });
  await old.upsert(keyOf("inexact"), { at: -0, title: "red" });
  const name = searchProperty(["title"]);
  const now = await version([{ name: "at" }, { name, many: true }]);
  expect(await failure(() => now.query(by(name, "red.")))).toBe("filling");
  await fill();
  await old.upsert(keyOf("late"), { at: 1, title: "Red, too" });
  expect((await now.query(by(name, "red."))).documents.map(({ id, fields }) => [id, fields["title"]])).toEqual([
    ["exact", "Red shoes"],
    ["inexact", "red"],
    ["late", "Red, too"],
  ]);
  expect((await old.get(keyOf("late")))?.fields).toEqual({ at: 1, title: "Red, too" });
});

test("documents that code without the rule for terms writes are marked until they are written again", async () => {
  setTerms(() => [unknownTerms]);
  const { version, fill } = await project();
  const old = await version([{ name: "at" }]);
  const name = searchProperty(["title"]);
  const now = await version([{ name: "at" }, { name, many: true }]);
  await now.upsert(keyOf("first"), { at: 1 });
  await fill();
  await old.upsert(keyOf("a"), { at: 1, title: "Red shoes" });
  const page = await now.query(by(name, unknownTerms));
  expect(page.documents.map(({ id, fields }) => [id, fields])).toEqual([
    ["a", { at: 1, title: "Red shoes" }],
    ["first", { at: 1 }],
  ]);
  useTerms();
  await now.update(keyOf("a"), { at: 1, title: "Red shoes" });
  expect(await now.count(by(name, unknownTerms))).toBe(1);
  expect(await now.count(by(name, "red."))).toBe(1);
});

test("documents that older code writes during and after a fill are in the new index", async () => {
  const { version, fill, pass } = await project();
  const old = await version([{ name: "at" }]);
  await old.upsert(keyOf("before"), { at: 1, buyer: "ann" });
  const now = await version([{ name: "at" }, { name: "buyer" }]);
  await now.upsert(keyOf("first"), { buyer: "ann" });
  let writes = 0;
  const write = async (): Promise<void> => void (await old.upsert(keyOf(`during ${writes++}`), { buyer: "ann" }));
  let writing: Promise<void> = Promise.resolve();
  await fill({ onProgress: () => void (writing = writing.then(write)) });
  await pass(writing);
  await old.upsert(keyOf("after"), { at: 1, buyer: "ann" });
  expect((await now.query(by("buyer", "ann"))).documents.map(({ id }) => id)).toEqual([
    "after",
    "before",
    "during 0",
    "first",
  ]);
});

test("fields of objects, lists and values that Datastore cannot hold are filled as any other", async () => {
  const { version, fill } = await project();
  const fields = { place: { city: "Bern" }, tags: ["new", "red"], weight: -0, note: "x".repeat(2_000) };
  await (await version([])).upsert(keyOf("a"), fields);
  const { weight, ...exact } = fields;
  await (await version([])).upsert(keyOf("b"), exact);
  const now = await version([
    { name: "place.city" },
    { name: "tags", many: true },
    { name: "weight" },
    { name: "note" },
  ]);
  expect(await failure(() => now.count(by("tags", "red")))).toBe("filling");
  await fill();
  expect(await now.count(by("place.city", "Bern"))).toBe(2);
  expect(await now.count(by("tags", "red"))).toBe(2);
  const weighed = await now.query({ ...by("weight", "x"), filters: [{ property: "weight", op: "==", value: 0 }] });
  expect(weighed.documents.map((document) => document.fields)).toEqual([{ ...exact, weight }]);
});

test("a document is outdated for rules that the code that wrote it last did not have", async () => {
  const { version, fill } = await project();
  const rules: Indexes = [
    { name: "buyer", ruled: true },
    { name: "_fw_outdated", outdated: "buyer" },
  ];
  const outdated = {
    ...by("_fw_outdated", ""),
    filters: [{ property: "_fw_outdated", op: "==", value: true }],
  } as const;
  const old = await version([]);
  await old.upsert(keyOf("before"), { client: "ann" });
  const now = await version(rules);
  expect(await failure(() => now.query(outdated))).toBe("filling");
  await fill();
  const idsOfOutdated = async () => (await now.query(outdated)).documents.map(({ id }) => id);
  expect(await idsOfOutdated()).toEqual(["before"]);
  expect(await failure(() => now.count(by("buyer", "ann")))).toBe("filling");
  await now.upsert(keyOf("before"), { client: "ann", buyer: "ann" });
  expect([await idsOfOutdated(), await now.count(by("buyer", "ann"))]).toEqual([[], 1]);
  await old.upsert(keyOf("after"), { client: "ann" });
  expect([await idsOfOutdated(), await failure(() => now.total(by("buyer", "ann"), "buyer"))]).toEqual([
    ["after"],
    "filling",
  ]);
  expect((await now.get(keyOf("after")))?.fields).toEqual({ client: "ann" });
});

test("a fill that was stopped goes on where it was", async () => {
  const { version, fill, datastore, pass } = await project();
  const old = await version([]);
  await Promise.all(Array.from({ length: 400 }, (_, i) => old.upsert(keyOf(`o${i}`), { buyer: "ann" })));
  const now = await version([{ name: "buyer" }]);
  await now.upsert(keyOf("p"), { buyer: "ann" });
  const stopped = new AbortController();
  const progress: FillProgress[] = [];
  const stopping = fillIndexes(datastore, "orders", {
    signal: stopped.signal,
    onProgress: (made) => progress.push(made) === 3 && stopped.abort(new Error("stopped")),
  });
  await expect(pass(stopping)).rejects.toThrow("stopped");
  progress.length = 0;
  await fill({ onProgress: (made) => progress.push(made) });
  expect(progress.at(-1)?.documentsRead).toBeLessThan(400);
  expect(await now.count(by("buyer", "ann"))).toBe(401);
});

test("a write that was prepared before an index was registered is not sent after every write has to maintain it", async () => {
  const { clock, version, datastore } = await project();
  const old = await version([]);
  await old.upsert(keyOf("a"), { buyer: "ann" });
  const reading = await old.begin();
  await reading.get(keyOf("a"));
  reading.upsert(keyOf("a"), { buyer: "bob" });
  await (await version([{ name: "buyer" }])).upsert(keyOf("b"), { buyer: "ann" });
  await clock.advance(settledMs);
  await reading.commit();
  const { results } = await datastore.lookup([keyOf("a")]);
  expect(results[0]?.entity?.properties?.["buyer"]).toEqual({ stringValue: "bob" } satisfies DatastoreValue);
});

test("an index that is registered during a fill of others is filled, too", async () => {
  const { version, datastore, fill } = await project();
  const old = await version([{ name: "at" }]);
  await old.upsert(keyOf("o1"), { at: 1, buyer: "ann", place: "rome" });
  const now = await version([{ name: "at" }, { name: "buyer" }]);
  expect(await failure(() => now.query(by("buyer", "ann")))).toBe("filling");
  const rewrite = datastore.rewrite.bind(datastore);
  let later: Awaited<ReturnType<typeof version>> | undefined;
  vi.spyOn(datastore, "rewrite").mockImplementation(async (mutations) => {
    later ??= await version([{ name: "at" }, { name: "buyer" }, { name: "place" }]);
    expect(await failure(async () => later?.query(by("place", "rome")))).toBe("filling");
    await rewrite(mutations);
  });
  await fill();
  expect((await now.query(by("buyer", "ann"))).documents).toHaveLength(1);
  expect((await later?.query(by("place", "rome")))?.documents).toHaveLength(1);
});

unfitTests(async (definitions) => ({ platform: await versionedPlatform(definitions), dispose: async () => {} }));

test("queries of all documents and by id read no registry of indexes", async () => {
  const { version } = await project();
  const indexes: Indexes = [
    { name: "id", key: true },
    { name: "buyer", type: "string" },
  ];
  await (await version(indexes)).upsert(keyOf("a"), { buyer: "ann" });
  const other = await version(indexes);
  const lookup = vi.spyOn(Datastore.prototype, "lookup");
  onTestFinished(() => lookup.mockRestore());
  expect((await other.query(by("id", "a"))).documents).toHaveLength(1);
  expect(await other.count({ ...by("id", "a"), filters: [] })).toBe(1);
  expect(lookup).not.toHaveBeenCalled();
});

test("a query looks for unfit documents only once a version with other types has been registered", async () => {
  const { clock, datastore, version } = await project();
  const typed = (type: string): Indexes => [{ name: "buyer", type }];
  const first = await version(typed("string"));
  await first.upsert(keyOf("a"), { buyer: "ann" });
  const query = vi.spyOn(Datastore.prototype, "query");
  onTestFinished(() => query.mockRestore());
  const queriesOf = async (): Promise<number> => {
    query.mockClear();
    expect((await first.query(by("buyer", "ann"))).documents).toHaveLength(1);
    return query.mock.calls.length;
  };
  expect(await queriesOf()).toBe(1);
  await (await version(typed("string"))).upsert(keyOf("b"), { buyer: "bob" });
  await clock.advance(30_000);
  expect(await queriesOf()).toBe(1);
  await (await version(typed("number|string"))).upsert(keyOf("c"), { buyer: "cy" });
  await clock.advance(30_000);
  expect(await queriesOf()).toBe(2);
  expect((await datastore.lookup([keyOf("c")])).results[0]?.entity?.properties).not.toHaveProperty("_fw_unfit");
});
