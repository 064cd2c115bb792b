import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { ManualClock } from "../testing/conformance/fixture.ts";
import { openLocal } from "./open.ts";
import { openDatabase } from "./sqlite.ts";
import { redefine } from "../testing/redefine.ts";
import { scratch } from "../../lib/testing/scratch.ts";

const bare: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }] };
const byA: Definitions = { kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }] };

test("data, versions and leases outlive the process that wrote them", async () => {
  const directory = await scratch();
  const first = await openLocal(directory, byA);
  const version = await first.entities.insert({ kind: "item", id: "x" }, { a: 1 });
  const lease = await first.leases.acquire("relay", 1);
  await lease?.release();
  await first.close();
  const second = await openLocal(directory, byA);
  expect(await second.entities.get({ kind: "item", id: "x" })).toEqual({ id: "x", version, fields: { a: 1 } });
  expect((await second.leases.acquire("relay", 1))?.token).toBe(Number(lease?.token) + 1);
  await second.entities.delete({ kind: "item", id: "x" });
  expect(await second.entities.insert({ kind: "item", id: "x" }, {})).not.toBe(version);
  await second.close();
});

test("documents of a store that kept them by number are all there, with their index entries, versions and expiries", async () => {
  const directory = await scratch();
  const clock = new ManualClock();
  const first = await openLocal(directory, byA, { clock });
  const expires = new Date(clock.now() + 1);
  await Promise.all(
    Array.from({ length: 50 }, (_, a) => first.entities.insert({ kind: "item", id: `i${49 - a}` }, { a }, { expires })),
  );
  const query = { kind: "item", filters: [], orders: [{ property: "a", direction: "asc" }], limit: 100 } as const;
  const before = await first.entities.query(query);
  await first.close();
  keepByNumber(directory);
  const second = await openLocal(directory, byA, { clock });
  expect(await second.entities.query(query)).toEqual(before);
  expect(await second.entities.get({ kind: "item", id: "i7" })).toMatchObject({ fields: { a: 42 }, expires });
  clock.advance(1);
  expect(await second.deleteExpired()).toBe(50);
  await second.close();
});

test("a directory in use is refused to this process and to others, with a sentence", async () => {
  const directory = await scratch();
  const platform = await openLocal(directory, bare);
  await expect(openLocal(directory, bare)).rejects.toThrow(/another process uses the data in .*; stop that server/);
  expect(openElsewhere(directory)).toMatch(/^locked: another process uses the data in .*; stop that server/);
  await platform.close();
  expect(openElsewhere(directory)).toBe("opened");
});

test("a store that another program reads is refused with a sentence, not broken into", async () => {
  const directory = await scratch();
  await (await openLocal(directory, bare)).close();
  const other = await heldElsewhere(join(directory, "store"));
  await expect(openLocal(directory, bare)).rejects.toThrow(/another process uses the data in .*; stop that server/);
  await other.release();
  await (await openLocal(directory, bare)).close();
});

test("an index that is new is filled, and one that is no longer asked for refuses from the next start on", async () => {
  const directory = await scratch();
  const platform = await openLocal(directory, bare);
  const { entities } = platform;
  await Promise.all(Array.from({ length: 1200 }, (_, a) => entities.insert({ kind: "item", id: `i${a}` }, { a })));
  await entities.insert({ kind: "item", id: "list" }, { a: [1, 2] });
  const query = { kind: "item", filters: [{ property: "a", op: ">=", value: 1000 }], orders: [], limit: 1000 } as const;
  await redefine(platform, byA);
  expect(await entities.count(query)).toBe(200);
  await entities.delete({ kind: "item", id: "list" });
  await redefine(platform, bare);
  expect(await entities.count(query)).toBe(200);
  await platform.close();
  const reopened = await openLocal(directory, bare);
  await expect(reopened.entities.query(query)).rejects.toThrow("item.a is not indexed");
  await reopened.close();
});

test("expired documents are deleted with their index entries", async () => {
  const clock = new ManualClock();
  const platform = await openLocal(await scratch(), byA, { clock });
  const expires = new Date(clock.now() + 1);
  const ids = Array.from({ length: 1100 }, (_, i) => `i${i}`);
  await Promise.all(ids.map((id) => platform.entities.insert({ kind: "item", id }, { a: 1 }, { expires })));
  expect(await platform.deleteExpired()).toBe(0);
  clock.advance(1);
  expect(await platform.deleteExpired()).toBe(1100);
  const filters = [{ property: "a", op: "==", value: 1 }] as const;
  expect(await platform.entities.count({ kind: "item", filters, orders: [] })).toBe(0);
  await platform.close();
});

test("expired documents of a kind that is not declared any more are deleted, too", async () => {
  const clock = new ManualClock();
  const platform = await openLocal(await scratch(), byA, { clock });
  onTestFinished(() => platform.close());
  const expires = new Date(clock.now() + 1);
  const ids = Array.from({ length: 600 }, (_, i) => `i${i}`);
  await Promise.all(ids.map((id) => platform.entities.insert({ kind: "item", id }, { a: 1 }, { expires })));
  await redefine(platform, { kinds: [] });
  clock.advance(1);
  expect(await platform.deleteExpired()).toBe(600);
  await redefine(platform, byA);
  expect(await platform.entities.count({ kind: "item", filters: [], orders: [] })).toBe(0);
  await platform.entities.insert({ kind: "item", id: "i0" }, { a: 1 });
  const filters = [{ property: "a", op: "==", value: 1 }] as const;
  expect(await platform.entities.count({ kind: "item", filters, orders: [] })).toBe(1);
});

describe("data of another fw", () => {
  test("a store that lacks tables of a later build gets them, and keeps what it has", async () => {
    const directory = await storeWith(
      "DROP TABLE messages; DROP TABLE dead_letters; DROP TABLE accounts; DROP TABLE objects; PRAGMA user_version = 1",
    );
    const platform = await openLocal(directory, bare);
    onTestFinished(() => platform.close());
    expect((await platform.entities.get({ kind: "item", id: "kept" }))?.fields).toEqual({ a: 1 });
    expect(await platform.messages.send({ kind: "queue", name: "mails" }, { body: "1" })).toEqual(expect.any(String));
    expect(await platform.accounts.byEmail("ann@example.com")).toBeUndefined();
  });

  test("so does one that says it is of the same version", async () => {
    const directory = await storeWith("DROP TABLE dead_letters; DROP INDEX messages_due");
    const platform = await openLocal(directory, bare);
    onTestFinished(() => platform.close());
    expect(await platform.dispatcher.dead({ consumer: "mails-send" })).toEqual([]);
    expect((await platform.entities.get({ kind: "item", id: "kept" }))?.fields).toEqual({ a: 1 });
  });

  test("the trace of a message is deleted with it", async () => {
    const directory = await storeWith("PRAGMA user_version");
    const delivery = { maxAttempts: 5, minBackoff: 1_000, maxBackoff: 60_000, deadline: 10_000, concurrency: 16 };
    const destination = { kind: "queue", name: "mails" } as const;
    const platform = await openLocal(directory, { ...bare, consumers: [{ id: "mails-send", destination, delivery }] });
    platform.dispatcher.deliver(async () => {});
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await platform.messages.send(destination, { body: "1", traceparent });
    await platform.dispatcher.idle();
    await platform.close();
    const database = openDatabase(join(directory, "store"));
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT (SELECT count(*) FROM messages), count(*) FROM message_traces").all()).toEqual([
      [0, 0],
    ]);
  });

  test("messages of a fw that carried nothing beside their bodies are delivered, also under a number that it used again", async () => {
    const directory = await storeWith(
      `INSERT INTO messages (n, carrier, receiver, due, attempts, id, sent, body) VALUES (7, 'queue:mails', '', 0, 0, 'm1', 0, '1');
       INSERT INTO message_traces VALUES (7, 'gone', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')`,
    );
    const delivery = { maxAttempts: 5, minBackoff: 1_000, maxBackoff: 60_000, deadline: 10_000, concurrency: 16 };
    const consumers = [{ id: "mails-send", destination: { kind: "queue", name: "mails" }, delivery } as const];
    const platform = await openLocal(directory, { ...bare, consumers });
    onTestFinished(() => platform.close());
    const seen: unknown[] = [];
    platform.dispatcher.deliver(async ({ id, traceparent }) => void seen.push([id, traceparent]));
    await platform.dispatcher.idle();
    expect(seen).toEqual([["m1", undefined]]);
  });

  test.each([
    [
      "DROP TABLE messages; CREATE TABLE messages (n INTEGER PRIMARY KEY, body TEXT)",
      /^another build of fw wrote the data in .*: its table messages has a different schema; use that build, or delete the directory/,
    ],
    [
      "DROP INDEX messages_due; CREATE INDEX messages_due ON messages (due)",
      /^another build of fw wrote the data in .*: its table messages_due has a different schema; use that build, or delete/,
    ],
    ["PRAGMA user_version = 99", /^a later version of fw wrote the data in .*; install that version$/],
  ])("a store that is another's is refused with what to do, and left as it is: %s", async (sql, sentence) => {
    const directory = await storeWith(sql);
    await expect(openLocal(directory, bare)).rejects.toMatchObject({
      code: "data",
      message: expect.stringMatching(sentence),
    });
    const database = openDatabase(join(directory, "store"));
    expect(database.prepare("SELECT id FROM documents").all()).toEqual([["kept"]]);
    database.close();
  });

  test.each(["store", "lock"])("a file %s that is no database is refused with what to do", async (name) => {
    const directory = await scratch();
    await writeFile(join(directory, name), "not a database ".repeat(1000));
    await expect(openLocal(directory, bare)).rejects.toMatchObject({
      code: "data",
      message: expect.stringMatching(
        /^the data in .* cannot be read \(.*\); restore a backup, or delete the directory to start without data$/,
      ),
    });
  });
});

/** Creates a directory with a document, then runs SQL in its store, as another program might. */
async function storeWith(sql: string): Promise<string> {
  const directory = await scratch();
  const platform = await openLocal(directory, bare);
  await platform.entities.insert({ kind: "item", id: "kept" }, { a: 1 });
  await platform.close();
  const database = openDatabase(join(directory, "store"));
  for (const statement of sql.split("; ")) database.exec(statement);
  database.close();
  return directory;
}

/** Converts the table of documents to version 2 of the store. */
function keepByNumber(directory: string): void {
  const database = openDatabase(join(directory, "store"));
  database.exec(`
    ALTER TABLE documents RENAME TO clustered;
    CREATE TABLE documents (
      n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
      body TEXT NOT NULL, UNIQUE (kind, id)
    );
    INSERT INTO documents (kind, id, version, expires, body) SELECT kind, id, version, expires, body FROM clustered;
    DROP TABLE clustered;
    CREATE INDEX documents_expires ON documents (expires) WHERE expires IS NOT NULL;
    PRAGMA user_version = 2;
  `);
  database.close();
}

/** Starts a second process that locks a database until it is released. */
async function heldElsewhere(path: string): Promise<{ release(): Promise<void> }> {
  const built = fileURLToPath(new URL("../../../dist/platform/local/sqlite.js", import.meta.url));
  const code = `const { openDatabase } = await import(${JSON.stringify(built)});
    const database = openDatabase(${JSON.stringify(path)});
    database.exec("BEGIN EXCLUSIVE");
    process.stdout.write("held");
    process.stdin.on("end", () => process.exit(0)).resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    release: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** Opens the directory in a second process. Returns its error, or "opened". */
function openElsewhere(directory: string): string {
  const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));
  const code = `const { openLocal } = await import(${JSON.stringify(built)});
    const said = openLocal(${JSON.stringify(directory)}, ${JSON.stringify(bare)}).then(
      async (platform) => (await platform.close(), "opened"), (error) => error.code + ": " + error.message);
    process.stdout.write(await said);`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
}
