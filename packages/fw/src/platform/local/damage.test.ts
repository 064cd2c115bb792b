import { chmod, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { openLocal } from "./open.ts";
import { openDatabase } from "./sqlite.ts";
import { scratch } from "../../lib/testing/scratch.ts";

const definitions: Definitions = {
  kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }],
  buckets: ["files"],
};

describe("a store that has lost a part is refused with what to do, and left as it is", () => {
  test.each([1, 1000, 8192, 20_000])("%i bytes of its end", async (bytes) => {
    const directory = await filled();
    const store = join(directory, "store");
    await truncate(store, (await stat(store)).size - bytes);
    await expectRefused(directory, /the file store has \d+ bytes, expected \d+|malformed/);
  });

  test("all of it, beside its objects", async () => {
    const directory = await filled();
    await truncate(join(directory, "store"), 0);
    await expectRefused(directory, /the file store is empty, but objects exists/);
    await rm(join(directory, "store"));
    await expectRefused(directory, /the file store is missing, but objects exists/);
    expect(await readdir(join(directory, "objects"))).toHaveLength(1);
  });
});

test("what is only in the log of a store whose process was killed is there, and nothing is refused", async () => {
  const directory = await filled();
  const copy = await scratch();
  const platform = await openLocal(directory, definitions);
  onTestFinished(() => platform.close());
  const long = "x".repeat(50_000);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => platform.entities.insert({ kind: "item", id: `new${i}` }, { long })),
  );
  for (const name of ["store", "store-wal"])
    await writeFile(join(copy, name), await readFile(join(directory, name)), { mode: 0o600 });
  const killed = await openLocal(copy, definitions);
  expect((await killed.entities.get({ kind: "item", id: "new19" }))?.fields).toEqual({ long });
  await killed.close();
});

test("flipped bytes in texts fail what reads them, not the process, and a text keeps its NUL", async () => {
  const directory = await filled();
  const database = openDatabase(join(directory, "store"));
  database.exec(`
    UPDATE documents SET body = CAST(x'7b2261223a22ff22' AS TEXT) WHERE id = 'i1';
    UPDATE documents SET body = CAST(x'7b2261223a2280227d' AS TEXT) WHERE id = 'i2';
    CREATE TABLE texts (value TEXT)`);
  database.prepare("INSERT INTO texts VALUES (?)").run("before\0after");
  expect(database.prepare("SELECT value FROM texts").get()).toEqual(["before\0after"]);
  database.exec("DROP TABLE texts");
  database.close();
  const platform = await openLocal(directory, definitions);
  onTestFinished(() => platform.close());
  await expect(platform.entities.get({ kind: "item", id: "i1" })).rejects.toThrow(/a stored document is damaged/);
  expect((await platform.entities.get({ kind: "item", id: "i2" }))?.fields).toEqual({ a: "\ufffd" });
  expect((await platform.entities.get({ kind: "item", id: "i3" }))?.fields).toEqual({ a: 3 });
});

describe("only the owner reads data", () => {
  test("the files of a new store, also in a directory open to all users", async () => {
    const directory = await scratch();
    await chmod(directory, 0o755);
    const platform = await openLocal(directory, definitions);
    onTestFinished(() => platform.close());
    await put(platform);
    expect(await modesIn(directory)).toEqual([]);
  });

  test("the files of an older store are narrowed, and its keys leave its rows", async () => {
    const directory = await filled();
    const before = JSON.parse(await readFile(join(directory, "secrets"), "utf8")) as Record<string, string>;
    const database = openDatabase(join(directory, "store"));
    for (const [name, value] of Object.entries(before))
      database.prepare("INSERT INTO secrets VALUES (?, ?)").run(name, Buffer.from(value, "base64"));
    database.close();
    await rm(join(directory, "secrets"));
    for (const name of ["store", "lock", "objects"]) await chmod(join(directory, name), 0o755);
    await chmod(directory, 0o755);
    const platform = await openLocal(directory, definitions);
    expect(await modesIn(directory)).toEqual([]);
    await platform.close();
    expect(JSON.parse(await readFile(join(directory, "secrets"), "utf8"))).toEqual(before);
    const store = await readFile(join(directory, "store"));
    for (const value of Object.values(before)) expect(store.includes(Buffer.from(value, "base64"))).toBe(false);
  });
});

test("the log of a store is short again after a large write, and empty once it is closed", async () => {
  const directory = await scratch();
  const platform = await openLocal(directory, definitions);
  const long = "x".repeat(900_000);
  const { entities } = platform;
  await Promise.all(Array.from({ length: 40 }, (_, i) => entities.insert({ kind: "item", id: `i${i}` }, { long })));
  for (let i = 0; i < 3; i++) await entities.insert({ kind: "item", id: `more${i}` }, { long });
  expect((await stat(join(directory, "store-wal"))).size).toBeLessThan(20_000_000);
  await platform.close();
  expect((await stat(join(directory, "store-wal")).catch(() => ({ size: 0 }))).size).toBe(0);
});

/** Returns the entries, including the directory, that users other than the owner can access. */
async function modesIn(directory: string): Promise<string[]> {
  const names = ["", ...(await readdir(directory, { recursive: true }))];
  const stats = await Promise.all(names.map(async (name) => [name, (await stat(join(directory, name))).mode] as const));
  return stats.filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);
}

async function expectRefused(directory: string, message: RegExp): Promise<void> {
  const before = await sizes(directory);
  await expect(openLocal(directory, definitions)).rejects.toMatchObject({
    code: "data",
    message: expect.stringMatching(message),
  });
  expect(await sizes(directory)).toEqual(before);
}

/** Returns the sizes of the store, if any, and of its log. libsql removes an empty log some time after closing. */
async function sizes(directory: string): Promise<readonly [store: number | undefined, log: number]> {
  const size = (name: string): Promise<number | undefined> =>
    stat(join(directory, name)).then(
      (found) => found.size,
      () => undefined,
    );
  return [await size("store"), (await size("store-wal")) ?? 0];
}

/** Creates a directory with documents and an object. */
async function filled(): Promise<string> {
  const directory = await scratch();
  const platform = await openLocal(directory, definitions);
  const { entities } = platform;
  await Promise.all(
    Array.from({ length: 200 }, (_, a) => entities.insert({ kind: "item", id: `i${a}` }, { a, text: "x".repeat(a) })),
  ).catch(() => {});
  await Promise.all(Array.from({ length: 4 }, (_, a) => entities.upsert({ kind: "item", id: `i${a}` }, { a })));
  await put(platform);
  await platform.close();
  return directory;
}

async function put({ objects }: Awaited<ReturnType<typeof openLocal>>): Promise<void> {
  await objects.put("files", "a.txt", new Blob(["text"]).stream(), { contentType: "text/plain" });
}
