import { expect, test } from "vitest";
import { PlatformError } from "../errors.ts";
import { openDatabase } from "./sqlite.ts";
import type { Database } from "./sqlite.ts";
import { WriteQueue } from "./write-queue.ts";

test("a write that fails on its own account takes no other with it", async () => {
  const database = table();
  let undone = 0;
  const queue = new WriteQueue(database, { onRollback: () => undone++ });
  const insert = database.prepare("INSERT INTO t VALUES (?)");
  const writes = [1, 2, 2, 3].map((n) => queue.write(() => insert.run(n)));
  const settled = await Promise.allSettled(writes);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(undone).toBe(2);
  expect(database.prepare("SELECT n FROM t ORDER BY n").all()).toEqual([[1], [2], [3]]);
});

test("a write that refuses is no failure of the commit", async () => {
  const database = table();
  let undone = 0;
  const queue = new WriteQueue(database, { onRollback: () => undone++ });
  const insert = database.prepare("INSERT INTO t VALUES (?)");
  const refuse = (): never => {
    throw new PlatformError("exists", "it exists");
  };
  const settled = await Promise.allSettled([queue.write(() => insert.run(1)), queue.write(refuse)]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(undone).toBe(0);
});

function table(): Database {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE t (n INTEGER PRIMARY KEY)");
  return database;
}
