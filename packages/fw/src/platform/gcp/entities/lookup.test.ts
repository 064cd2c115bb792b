import { expect, onTestFinished, test } from "vitest";
import { isPlatformError } from "../../errors.ts";
import { connectCloud } from "../cloud.ts";
import { google, json } from "../rest/testing/google.ts";
import { onFake } from "../testing/fake.ts";
import { Datastore } from "./datastore.ts";
import type { EntityResult } from "./stored-document.ts";

const keyOf = (id: string) => ({ kind: "item", id });
const keys = Array.from({ length: 2_500 }, (_, i) => keyOf(`item ${i}`));

/** Opens a Datastore and counts the lookups that it receives. */
async function openLookup() {
  let lookups = 0;
  const on = await onFake(undefined, ({ url }) => {
    if (url.pathname.endsWith(":lookup")) lookups += 1;
    return undefined;
  });
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const datastore = new Datastore(on.cloud, on.place);
  const put = (id: string, text: string, how: "insert" | "update" = "insert"): Promise<unknown> => {
    const properties = { text: { stringValue: text, excludeFromIndexes: true } };
    return datastore.commit({ mutations: [{ [how]: { key: datastore.keyOf(keyOf(id)), properties } }] });
  };
  return { datastore, put, lookups: () => lookups };
}

const textOf = (result: EntityResult | undefined): string | undefined =>
  result?.entity?.properties?.["text"]?.stringValue;

test("more keys than one lookup takes are asked for in several", async () => {
  const { datastore, put, lookups } = await openLookup();
  await put("item 0", "first");
  await put("item 2499", "last");
  const before = await datastore.lookup(keys);
  expect(before.results.map(textOf).filter((text) => text !== undefined)).toEqual(["first", "last"]);
  expect([before.results.length, lookups()]).toEqual([2_500, 3]);
  await put("item 2499", "changed", "update");
  const again = await datastore.lookup(keys, { readTime: before.readTime });
  expect([textOf(again.results[0]), textOf(again.results[2_499])]).toEqual(["first", "last"]);
});

test("more keys than one lookup takes are read in one transaction, which fails when any of them changes", async () => {
  const { datastore, put } = await openLookup();
  await put("item 2499", "last");
  const looked = await datastore.lookup(keys, { newTransaction: { readWrite: {} } });
  expect(textOf(looked.results[2_499])).toBe("last");
  await put("item 2499", "changed", "update");
  const key = datastore.keyOf(keyOf("item 1"));
  const commit = datastore.commit({
    mutations: [{ insert: { key, properties: {} } }],
    transaction: looked.transaction,
  });
  await expect(commit).rejects.toMatchObject({ code: "ABORTED" });
});

test("documents that Datastore puts off are asked for again, each in its place", async () => {
  const { datastore, put, lookups } = await openLookup();
  const large = ["a", "b", "c", "d", "e"];
  for (const id of large) await put(id, id.repeat(1_000_000));
  const { results } = await datastore.lookup([keyOf("none"), ...large.map(keyOf)]);
  expect(results.map((each) => (textOf(each) ?? "-")[0])).toEqual(["-", ...large]);
  expect(lookups()).toBe(2);
});

/** Opens a Datastore with scripted responses. */
async function scriptedDatastore(answer: (keys: readonly unknown[], times: number) => object) {
  const { url, asked } = await google(({ body }, res, times) => {
    const { keys } = JSON.parse(body) as { keys: readonly unknown[] };
    json(res, 200, answer(keys, times));
  });
  const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: new URL(url).host });
  onTestFinished(() => cloud.connections.close());
  const place = { app: "a", env: "b", service: "c", project: "p", projectNumber: "1", region: "r", database: "a-b" };
  const bodies = (): readonly { readonly keys: readonly unknown[]; readonly readOptions?: unknown }[] =>
    asked.map(({ body }) => JSON.parse(body) as { keys: readonly unknown[] });
  return { datastore: new Datastore(cloud, place), bodies };
}

test("lookups that follow the first are as of its moment, or in its transaction, what was put off among them", async () => {
  const { datastore, bodies } = await scriptedDatastore((asked, times) => ({
    readTime: `2026-01-01T00:00:0${times}Z`,
    ...(times === 1 && { deferred: asked.slice(0, 3) }),
  }));
  expect((await datastore.lookup(keys)).readTime).toBe("2026-01-01T00:00:01Z");
  const readOptions = { readTime: "2026-01-01T00:00:01Z" };
  expect(bodies().map((body) => [body.keys.length, body.readOptions])).toEqual([
    [1_000, undefined],
    [1_000, readOptions],
    [503, readOptions],
  ]);
  const begun = await scriptedDatastore((_, times) => ({
    readTime: "2026-01-01T00:00:00Z",
    ...(times === 1 && { transaction: "t" }),
  }));
  const newTransaction = { newTransaction: { readWrite: {} } };
  expect((await begun.datastore.lookup(keys, newTransaction)).transaction).toBe("t");
  expect(begun.bodies().map((body) => body.readOptions)).toEqual([
    newTransaction,
    { transaction: "t" },
    { transaction: "t" },
  ]);
});

test("a store that puts everything off is not asked for ever", async () => {
  const { datastore } = await scriptedDatastore((asked) => ({ readTime: "2026-01-01T00:00:00Z", deferred: asked }));
  const refused = await datastore.lookup([keyOf("a")]).catch((error: unknown) => error);
  expect(isPlatformError(refused, "unreachable")).toBe(true);
});
