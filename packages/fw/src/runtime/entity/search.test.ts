import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ID, Index, Search } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity } from "../../declare/entity.ts";
import { HOST } from "../../declare/slot.ts";
import { setTerms } from "../../platform/document.ts";
import { useTerms } from "../../platform/search-terms.ts";
import { searchProperty, unknownTerms } from "../../lib/derived-indexes.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import type { BundledEntity } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { settings } from "../settings.ts";
import { bundleOf } from "../testing/app.ts";

interface Note {
  id: ID;
  title: Search<string>;
  body?: Search<Index<string>>;
  tags: Search<string[]>;
  at: Index<number>;
}

interface Plain {
  id: ID;
  title: string;
}

const notes = Entity<Note>("notes");
const plain = Entity<Plain>("plain");
const property = searchProperty(["title", "body", "tags"]);
const row = { id: "id", transient: [] };
const entities: readonly BundledEntity[] = [
  {
    ...row,
    declaration: notes as never,
    name: "notes",
    indexed: [
      { name: "at", many: false },
      { name: property, many: true },
    ],
    indexes: [
      [
        { field: property, direction: "asc" },
        { field: "at", direction: "desc" },
      ],
    ],
  },
  { ...row, declaration: plain as never, name: "plain", indexed: [], indexes: [] },
];

let directory: string;
let platform: LocalPlatform;
let ctx: Context;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "fw-search-"));
  platform = await openLocal(directory, definitionsOf({ entities }), { temporary: true });
  const app = createApplication({ ...bundleOf([]), entities }, { settings: settings.test, platform });
  ctx = { [HOST]: app.host, requestId: "r1" } as unknown as Context;
});

afterAll(async () => {
  await platform?.close();
  await rm(directory, { recursive: true, force: true });
});

test("a search finds documents by the words of their Search fields, in the order of the query", async () => {
  await notes.create(ctx, { id: "a", title: "Café au lait", tags: ["Hot drinks"], at: 1 });
  await notes.create(ctx, { id: "b", title: "Iced tea", body: "no cafe here", tags: [], at: 2 });
  const find = async (text: string) =>
    (await notes.query().search(text).orderBy("at", "desc").all(ctx)).map(({ id }) => id);
  expect(await find("CAFE")).toEqual(["b", "a"]);
  expect(await find("cafe dri")).toEqual(["a"]);
  expect(await find("caf drinks")).toEqual([]);
  expect(await find("")).toEqual([]);
  expect(await notes.query().search("tea").search("iced").count(ctx)).toBe(1);
  expect(await notes.get(ctx, "a")).toEqual({ id: "a", title: "Café au lait", tags: ["Hot drinks"], at: 1 });
});

test("a sentence without spaces finds the texts that have all of its neighboring characters", async () => {
  const sentence = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
  await notes.create(ctx, { id: "cat", title: `夏目漱石 ${sentence}`, tags: [], at: 1 });
  await notes.create(ctx, { id: "zh", title: "我们在北京大学学习中文", tags: [], at: 2 });
  const find = async (text: string) => (await notes.query().search(text).all(ctx)).map(({ id }) => id);
  expect(await find(sentence)).toEqual(["cat"]);
  expect(await find("猫である")).toEqual(["cat"]);
  expect(await find("北京大学")).toEqual(["zh"]);
  expect(await find("北学")).toEqual([]);
  expect(await find("学")).toEqual(["zh"]);
  expect(await find("大学 夏目")).toEqual([]);
  const long = Array.from({ length: 60 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
  await expect(notes.query().search(long).all(ctx)).rejects.toMatchObject({ status: 400 });
});

test("a document with more words than an index holds is a 400", async () => {
  const title = Array.from({ length: 900 }, (_, n) => `w${n}`).join(" ");
  await expect(notes.create(ctx, { title, tags: [], at: 1 })).rejects.toMatchObject({ status: 400 });
});

test("a document whose words no index can hold does not stop searches of others", async () => {
  setTerms(() => [unknownTerms]);
  const title = Array.from({ length: 900 }, (_, n) => `w${n}`).join(" ");
  await notes.create(ctx, { id: "long", title, tags: [], at: 1 });
  useTerms();
  expect(await notes.query().search("iced").count(ctx)).toBe(1);
  await notes.delete(ctx, "long");
});

test("a search adds the terms of documents that code without the rule has written, and answers 503 for many", async () => {
  setTerms(() => [unknownTerms]);
  await notes.create(ctx, { id: "old", title: "Unknown", tags: [], at: 1 });
  useTerms();
  expect(await notes.query().search("unknown").count(ctx)).toBe(1);
  setTerms(() => [unknownTerms]);
  for (let n = 0; n < 201; n++) await notes.create(ctx, { title: "Many", tags: [], at: n });
  useTerms();
  await expect(notes.query().search("many").count(ctx)).rejects.toMatchObject({ status: 503 });
});

test("a search of an entity without a Search field is a type error, and a Fault", async () => {
  // @ts-expect-error No field of this entity is marked with Search.
  await expect(plain.query().search("a").all(ctx)).rejects.toThrow('search() of "plain", which has no Search field');
});
