import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { openLocal, type LocalPlatform } from "../platform/local/open.ts";
import { openDatabase } from "../platform/local/sqlite.ts";
import { fw } from "./testing/run.ts";

const definitions = {
  kinds: [{ kind: "item", properties: [{ name: "a" }, { name: "tags", many: true as const }], composites: [] }],
  buckets: ["files"],
  consumers: [],
};

/**
 * Creates an application with documents, an object, a message and an account, and returns a function that alters its
 * store.
 */
async function shop(): Promise<{ root: string; data: string; alter: (sql: string) => void }> {
  const app = await writeApp(`-- package.json --\n{ "name": "shop", "type": "module" }\n`);
  onTestFinished(() => app[Symbol.asyncDispose]());
  const data = join(app.root, ".fw", "data");
  const platform = await open(data);
  for (let i = 0; i < 3; i++) await platform.entities.insert({ kind: "item", id: `i${i}` }, { a: i, tags: [1, i] });
  await platform.objects.put("files", "a.txt", new Blob(["text"]).stream(), { contentType: "text/plain" });
  await platform.messages.send({ kind: "queue", name: "mails" }, { body: "1" });
  await platform.accounts.create({ email: "Ann@example.com", name: "", emailVerified: true, claims: {} });
  await platform.close();
  return { root: app.root, data, alter: (sql) => alter(data, sql) };
}

function open(data: string): Promise<LocalPlatform> {
  return openLocal(data, definitions);
}

function alter(data: string, sql: string): void {
  const database = openDatabase(join(data, "store"));
  database.exec(sql);
  database.close();
}

test("fw check-data counts what there is, and reports no damage", async () => {
  const { root } = await shop();
  expect(await fw(root, "check-data")).toEqual({
    code: 0,
    out: "3 documents, 1 object, 1 message, 1 account, no damage found\n",
    err: "",
  });
});

test.each([
  ["UPDATE documents SET body = '{' WHERE id = 'i1'", 'the document "i1" of "item" is not valid JSON'],
  ["UPDATE documents SET body = CAST(x'ff' AS TEXT) WHERE id = 'i1'", 'the document "i1" of "item" is not valid UTF-8'],
  [
    "UPDATE documents SET version = 9000000000 WHERE id = 'i1'",
    'the document "i1" of "item" has a version higher than the last one',
  ],
  ["DELETE FROM entries WHERE id = 'i2' AND ix = 1", 'the index of item over (a) has no entry for the document "i2"'],
  ["DELETE FROM documents WHERE id = 'i2'", "the index of item over (tags) has 2 extra entries"],
  ["UPDATE messages SET body = 'x'", "the message 1 is not valid JSON"],
  ["UPDATE messages SET carrier = CAST(x'ff' AS TEXT)", "the message 1 is not valid UTF-8"],
  ["UPDATE accounts SET address = 'b'", "the account 1 cannot be found by its address"],
  ["UPDATE objects SET size = 5", 'the object "a.txt" of the bucket files has 4 bytes, expected 5'],
  ["UPDATE objects SET file = 'gone'", 'the object "a.txt" of the bucket files has no file'],
])("fw check-data finds what is wrong: %s", async (sql, problem) => {
  const { root, data } = await shop();
  alter(data, sql);
  const { code, out } = await fw(root, "check-data");
  expect([code, out.split("\n")]).toEqual([1, expect.arrayContaining([problem])]);
});

test("fw check-data compares the bytes of objects, and says which files belong to none", async () => {
  const { root, data } = await shop();
  const [file = ""] = await readdir(join(data, "objects"));
  await writeFile(join(data, "objects", file), "TEXT");
  await writeFile(join(data, "objects", "left"), "");
  expect((await fw(root, "check-data")).out.split("\n").slice(0, 2)).toEqual([
    'the object "a.txt" of the bucket files has different bytes than were written',
    "1 file in objects belongs to no object; the next start moves unused files aside",
  ]);
});

test("fw check-data finds a store that SQLite cannot read, or that lost its end, and leaves it as it is", async () => {
  const { root, data } = await shop();
  const store = join(data, "store");
  const whole = await readFile(store);
  await writeFile(store, whole.subarray(0, whole.length - 100));
  expect(await fw(root, "check-data")).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^the file store has \d+ bytes/),
  });
  expect((await readFile(store)).length).toBe(whole.length - 100);
  await writeFile(store, Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 7)]));
  expect((await fw(root, "check-data")).code).toBe(1);
});

test("fw check-data refuses while a server works on the data, and where there is none", async () => {
  const { root, data } = await shop();
  const platform = await open(data);
  expect(await fw(root, "check-data")).toMatchObject({
    code: 2,
    err: expect.stringContaining("a server is using this data; stop it first"),
  });
  await platform.close();
  expect((await fw(root, "check-data", "--data", data)).code).toBe(0);
  await rm(data, { recursive: true });
  expect(await fw(root, "check-data")).toMatchObject({ code: 2, err: expect.stringContaining("there is no data in") });
  await mkdir(data);
  expect(await fw(root, "check-data")).toMatchObject({ code: 2, err: expect.stringContaining("there is no data in") });
});

test("references to documents that do not exist are counted, as problems if the field has a rule", async () => {
  const { root, data } = await shop();
  const shape = (rule: string): string => `
import { Entity, type ID, type Index, type Int, type Ref } from "fw";
export interface Item { id: ID; a: Int; tags: Int[]; next?: Index<Ref<Item>>; others?: Ref<Item>[] }
export const items = Entity<Item>("item"${rule});
`;
  await mkdir(join(root, "node_modules"), { recursive: true });
  await symlink(fileURLToPath(new URL("../..", import.meta.url)), join(root, "node_modules/fw"));
  await mkdir(join(root, "shop"), { recursive: true });
  const platform = await open(data);
  const item = { a: 1, tags: [1] };
  await platform.entities.update({ kind: "item", id: "i0" }, { ...item, next: "i2", others: ["i1", "gone"] });
  await platform.entities.update({ kind: "item", id: "i1" }, { ...item, next: "i9" });
  await platform.close();
  const look = async (rule: string): Promise<readonly string[]> => {
    await writeFile(join(root, "shop/shop.ts"), shape(rule));
    return (await fw(root, "check-data")).out.split("\n");
  };
  const advice = "delete the referring documents, or change the ids in the field";
  const next = `1 reference in "next" of "item" to documents that do not exist in "item": "i1" to "i9"; ${advice}`;
  const others = `1 reference in "others" of "item" to documents that do not exist in "item": "i0" to "gone"; ${advice}`;
  const counts = "3 documents, 1 object, 1 message, 1 account";
  expect(await look("")).toEqual([others, next, `${counts}, no damage found`, ""]);
  expect(await look(', { onDelete: { next: "clear" } }')).toEqual([next, others, `${counts}, 1 problem`, ""]);
});

test("documents and messages that do not fit the application's types are named, and those that fit by a rule are counted", async () => {
  const { root, data } = await shop();
  const shape = (type: string, rules: string): string => `
import { Entity, Queue, type ID, type Int } from "fw";
export const items = Entity<{ id: ID; ${type} }>("item"${rules});
export const mails = Queue<{ to: string }>("mails");
`;
  await mkdir(join(root, "node_modules"), { recursive: true });
  await symlink(fileURLToPath(new URL("../..", import.meta.url)), join(root, "node_modules/fw"));
  await mkdir(join(root, "shop"), { recursive: true });
  const platform = await open(data);
  await platform.entities.update({ kind: "item", id: "i0" }, { a: 0, tags: [1, 0], name: "zero" });
  await platform.close();
  const look = async (type: string, rules = ""): Promise<readonly string[]> => {
    await writeFile(join(root, "shop/shop.ts"), shape(type, rules));
    return (await fw(root, "check-data")).out.split("\n");
  };
  const message = "the message 1: it does not fit the type of queue:mails: body: 1 is not an object";
  expect(await look("a: Int; tags: Int[]")).toEqual([
    message,
    "3 documents, 1 object, 1 message, 1 account, 1 problem",
    "",
  ]);
  expect(await look("a: Int; tags: Int[]; name: string")).toEqual([
    'the document "i1" of "item" has no name, which is string',
    'the document "i2" of "item" has no name, which is string',
    message,
    "3 documents, 1 object, 1 message, 1 account, 3 problems",
    "",
  ]);
  expect(await look("a: Int; tags: Int[]; name: string", `, { upgrade: { name: "none" } }`)).toEqual([
    message,
    'documents of "item" that need an upgrade or rename rule: 2',
    "3 documents, 1 object, 1 message, 1 account, 1 problem",
    "",
  ]);
});
