import { cp, mkdtemp, open, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { checkData } from "./check/check.ts";
import { openLocal, type LocalPlatform } from "./open.ts";
import { openDatabase } from "./sqlite.ts";
import { scratch } from "../../lib/testing/scratch.ts";

/** Set `FW_TRIES=20` for a long run. */
const tries = 12 * Number(process.env["FW_TRIES"] ?? 1);

const definitions: Definitions = {
  kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }],
  buckets: ["files"],
};
const documents = 60;
const objects = 5;

describe("a store of a killed process that has lost a part of its log is refused, and loses no object", () => {
  test("all of it", async () => {
    const directory = await killed();
    await cp(join(directory, "store-wal"), join(directory, "log"));
    await rm(join(directory, "store-wal"));
    await expectRefused(directory, /the log store-wal is missing/);
    await truncate(join(directory, "store"), 0);
    await expectRefused(directory, /the log store-wal is missing/);
  });

  test("all of its bytes", async () => {
    const directory = await killed();
    await truncate(join(directory, "store-wal"), 0);
    await expectRefused(directory, /the log store-wal is empty/);
  });

  test("its end, and with the log put back everything is there", async () => {
    const directory = await killed();
    const log = join(directory, "store-wal");
    await cp(log, `${log}.copy`);
    await truncate(log, Math.floor((await stat(log)).size / 2));
    await expectRefused(directory, /frame \d+ of \d+ in the log store-wal is damaged/);
    await rm(log);
    await cp(`${log}.copy`, log);
    expect((await checkData(directory)).problems).toEqual([]);
    await expectWhole(directory);
  });

  test("without the mark, what is left of it opens, and the objects come back with the log", async () => {
    const directory = await killed();
    const whole = await copied(directory);
    for (const name of ["store-wal", "store-open"]) await rm(join(directory, name));
    const survivor = await openLocal(directory, definitions);
    expect(await survivor.objects.find("files", "o1")).toBeUndefined();
    await expect.poll(() => readdir(join(directory, "set-aside"))).toHaveLength(objects);
    await survivor.close();
    expect((await checkData(directory)).notes.join()).toMatch(/5 files in set-aside; a start moves back/);
    for (const name of ["store", "store-wal", "store-open"]) {
      await rm(join(directory, name), { force: true });
      await cp(join(whole, name), join(directory, name));
    }
    expect((await checkData(directory)).problems).toEqual([]);
    await expectWhole(directory);
    expect(await readdir(join(directory, "set-aside"))).toEqual([]);
  });
});

test("whatever byte of the log is flipped, a store is refused or has every acknowledged write", async () => {
  const directory = await killed();
  const { size } = await stat(join(directory, "store-wal"));
  let refusals = 0;
  for (let n = 0; n < tries; n++) {
    const copy = await copied(directory);
    await flip(join(copy, "store-wal"), Math.floor(((n + Math.random()) * size) / tries));
    const report = await checkData(copy).catch((error: Error) => ({ problems: [error.message] }));
    const reopened = await openLocal(copy, definitions).catch(() => undefined);
    expect(report.problems.length > 0).toBe(reopened === undefined);
    if (reopened === undefined) refusals++;
    else await reopened.close().then(() => expectWhole(copy));
    await rm(copy, { recursive: true });
  }
  expect(refusals).toBeGreaterThan(tries / 2);
});

test("a look at the data of a killed process, and a backup of it, leave a store that opens", async () => {
  const directory = await killed();
  expect(await checkData(directory)).toMatchObject({ problems: [], counts: { documents } });
  await expectWhole(directory);
  expect(await readdir(directory)).not.toContain("store-open");
});

test("a store of a version without the mark opens with what a killed process left in its log", async () => {
  const directory = await killed();
  await rm(join(directory, "store-open"));
  await expectWhole(directory);
});

test("files that were set aside are deleted after 30 days, and files that fw did not write are left", async () => {
  const directory = await killed();
  const clock = new SteppedClock();
  await (await openLocal(directory, definitions, { clock })).close();
  await writeFile(join(directory, "objects", "a".repeat(32)), "left over");
  await writeFile(join(directory, "objects", "notes.txt"), "not fw's");
  const swept = async (names: readonly string[]): Promise<void> => {
    const reopened = await openLocal(directory, definitions, { clock });
    await expect.poll(() => readdir(join(directory, "set-aside")).catch(() => [])).toEqual(names);
    await reopened.close();
  };
  await swept(["a".repeat(32)]);
  await clock.advance(29 * 86_400_000);
  await swept(["a".repeat(32)]);
  await clock.advance(2 * 86_400_000);
  await swept([]);
  expect(await readdir(join(directory, "objects"))).toContain("notes.txt");
});

test("a transaction that meets a damaged document changes nothing, and expiry passes such a document over", async () => {
  const directory = await killed();
  const expires = new Date(Date.now() + 1000);
  const first = await openLocal(directory, definitions);
  for (const id of ["gone", "gone-damaged"]) await first.entities.upsert({ kind: "item", id }, { a: 0 }, { expires });
  await first.close();
  const database = openDatabase(join(directory, "store"));
  database.exec("UPDATE documents SET body = '{' WHERE id IN ('i1', 'gone-damaged')");
  database.close();
  const clock = new SteppedClock();
  const damaged = await openLocal(directory, definitions, { clock });
  onTestFinished(() => damaged.close());
  const { entities } = damaged;
  const transaction = await entities.begin();
  for (const id of ["i0", "i1", "i2"]) transaction.upsert({ kind: "item", id }, { a: -1 });
  const beside = entities.upsert({ kind: "item", id: "beside" }, { a: 1 });
  await expect(transaction.commit()).rejects.toMatchObject({ code: "data" });
  await beside;
  expect((await entities.get({ kind: "item", id: "i0" }))?.fields["a"]).toBe(0);
  expect((await entities.get({ kind: "item", id: "i2" }))?.fields["a"]).toBe(2);
  await clock.advance(10 * 365 * 86_400_000);
  expect(await damaged.deleteExpired()).toBe(1);
});

describe("a file of keys that has no key of 32 bytes where one is needed is refused, and told by fw check-data", () => {
  test.each([
    "null",
    '"x"',
    "[]",
    '{"token":5}',
    '{"token":""}',
    '{"token":null}',
    `{"token":"${Buffer.alloc(31).toString("base64")}"}`,
    `{"cursor":"${Buffer.alloc(32).toString("hex")}"}`,
  ])("%s", async (text) => {
    const directory = await killed();
    await writeFile(join(directory, "secrets"), text);
    await expect(openLocal(directory, definitions)).rejects.toMatchObject({ code: "data" });
    expect((await checkData(directory)).problems.join()).toMatch(/secrets .*restore a backup, or delete the file/);
  });
});

let running: string;
let platform: LocalPlatform;

beforeAll(async () => {
  running = await mkdtemp(join(tmpdir(), "fw-killed-"));
  platform = await openLocal(running, definitions);
  for (let a = 0; a < documents; a++) await platform.entities.insert({ kind: "item", id: `i${a}` }, { a });
  for (let n = 0; n < objects; n++)
    await platform.objects.put("files", `o${n}`, new Blob([`object ${n}`]).stream(), { contentType: "text/plain" });
});

afterAll(async () => {
  await platform.close();
  await rm(running, { recursive: true });
});

/** Copies the data directory of the running process in the state that a kill would leave. */
function killed(): Promise<string> {
  return copied(running);
}

async function copied(directory: string): Promise<string> {
  const copy = await scratch();
  for (const name of ["store", "store-wal", "store-open", "secrets", "objects"])
    await cp(join(directory, name), join(copy, name), { recursive: true });
  return copy;
}

async function expectRefused(directory: string, message: RegExp): Promise<void> {
  await expect(openLocal(directory, definitions)).rejects.toMatchObject({
    code: "data",
    message: expect.stringMatching(message),
  });
  expect((await checkData(directory)).problems.join()).toMatch(message);
  expect(await readdir(join(directory, "objects"))).toHaveLength(objects);
}

async function expectWhole(directory: string): Promise<void> {
  const reopened = await openLocal(directory, definitions);
  for (let a = 0; a < documents; a++)
    expect((await reopened.entities.get({ kind: "item", id: `i${a}` }))?.fields).toEqual({ a });
  for (let n = 0; n < objects; n++) {
    const object = await reopened.objects.open("files", `o${n}`);
    expect(await new Response(object?.stream()).text()).toBe(`object ${n}`);
  }
  await reopened.close();
}

async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0x10;
  await file.write(byte, 0, 1, at);
  await file.close();
}
