import { addressKey } from "../account-fields.ts";
import { accountTables } from "./accounts.ts";
import { messageTables } from "./messages.ts";
import { objectTables } from "./objects-rows.ts";
import { PlatformError } from "../errors.ts";
import type { Database } from "./sqlite.ts";

/**
 * The primary key of `documents` is the lookup key, so a read searches only one tree. `entries` has a row for each key
 * of a document in an index: the indexed values, encoded so that their bytes sort like the values (`index-key.ts`).
 * `indexes.ready` is 0 or `to:` with the last filled id during a fill, 1 when the index contains all documents, and 2
 * when it also enforces unique values. `numbers.version` is an upper bound on all assigned versions. A released lease
 * keeps its row, because its token must keep increasing.
 */
const documentTables = `
  CREATE TABLE documents (
    kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  CREATE INDEX documents_expires ON documents (expires) WHERE expires IS NOT NULL;
  CREATE TABLE indexes (ix INTEGER PRIMARY KEY, kind TEXT NOT NULL, properties TEXT NOT NULL, ready INTEGER NOT NULL);
  CREATE TABLE entries (ix INTEGER, key BLOB, id TEXT, PRIMARY KEY (ix, key, id)) WITHOUT ROWID;
  CREATE TABLE leases (name TEXT PRIMARY KEY, token INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
`;

/** The maximum size of the log file in bytes after SQLite restarts the log. */
const logBytes = 16 * 1024 * 1024;

/** Configures a connection for speed and durability: with `FULL`, every commit is on disk when it returns. */
export function configure(database: Database, synchronous: "FULL" | "OFF"): void {
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec("PRAGMA page_size = 8192");
  database.prepare("PRAGMA journal_mode = WAL").get();
  database.exec("PRAGMA cache_size = -65536");
  database.prepare(`PRAGMA journal_size_limit = ${logBytes}`).get();
  // Only one process uses the directory, so reads need not take a system lock each time.
  database.keep();
  // Fails now, rather than at the first write, if another program has the store open.
  database.exec("BEGIN IMMEDIATE");
  database.exec("ROLLBACK");
}

const statements: readonly string[] = [documentTables, accountTables, objectTables, messageTables]
  .flatMap((tables) => tables.split(";"))
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");

/** Incremented when earlier versions of fw can no longer use the store. */
export const storeVersion = 4;

/**
 * Before this version, an index that was filled during other writes could lack entries, and addresses were normalized
 * differently.
 */
const repairVersion = 4;

/** Before version 3, stores numbered their documents and had a separate index of the keys. */
const numberedDocuments = `
  CREATE TABLE documents (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
    body TEXT NOT NULL, UNIQUE (kind, id)
  )`;

/**
 * Creates the tables of a new store or migrates an older store. Throws a PlatformError `data` if a later version, or a
 * build with different tables, wrote the store.
 */
export function migrate(database: Database, directory: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.[0]);
  if (version > storeVersion)
    throw new PlatformError("data", `a later version of fw wrote the data in ${directory}; install that version`);
  const shapes = shapesIn(database);
  const numbered = shapes.get("documents") === shapeOf(numberedDocuments);
  if (numbered) for (const name of ["documents", "documents_expires"]) shapes.delete(name);
  const missing = missingIn(shapes, directory);
  if (missing.length === 0 && version === storeVersion) return;
  database.exec("BEGIN IMMEDIATE");
  if (numbered) setNumberedAside(database);
  for (const statement of missing) database.exec(statement);
  if (numbered) takeNumberedIn(database);
  if (version < repairVersion) repair(database);
  database.exec("INSERT OR IGNORE INTO numbers VALUES ('version', 0)");
  database.exec(`PRAGMA user_version = ${storeVersion}`);
  database.exec("COMMIT");
}

/** Schedules all indexes for a rebuild and normalizes the addresses of accounts again. */
function repair(database: Database): void {
  database.exec("UPDATE indexes SET ready = 0");
  const set = database.prepare("UPDATE accounts SET address = ? WHERE n = ?");
  for (const [n, email, address] of database.prepare("SELECT n, email, address FROM accounts").all()) {
    const key = addressKey(String(email));
    if (key !== address) set.run(key, n ?? 0);
  }
}

function setNumberedAside(database: Database): void {
  database.exec("DROP INDEX IF EXISTS documents_expires");
  database.exec("ALTER TABLE documents RENAME TO numbered");
}

function takeNumberedIn(database: Database): void {
  database.exec(
    "INSERT INTO documents SELECT kind, id, version, expires, body FROM numbered ORDER BY kind, id; DROP TABLE numbered",
  );
}

/** Returns the statements that created the store's tables and indexes, without whitespace, by name. */
function shapesIn(database: Database): Map<string, string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all();
  return new Map(rows.map(([name, sql]) => [String(name), shapeOf(String(sql))]));
}

/**
 * Returns the statements that create the tables and indexes that the store lacks. Throws a PlatformError `data` if an
 * existing one is different.
 */
function missingIn(shapes: ReadonlyMap<string, string>, directory: string): string[] {
  return statements.filter((statement) => {
    const name = nameIn(statement);
    const shape = shapes.get(name);
    if (shape === undefined || shape === shapeOf(statement)) return shape === undefined;
    throw new PlatformError(
      "data",
      `another build of fw wrote the data in ${directory}: its table ${name} has a different schema; use that build, or delete the directory to start without data`,
    );
  });
}

function nameIn(statement: string): string {
  return /^CREATE (?:TABLE|INDEX) (\w+)/.exec(statement)?.[1] ?? "";
}

/** Removes whitespace from a statement: SQLite stores its text, and formatting must not matter. */
function shapeOf(statement: string): string {
  return statement.replaceAll(/\s+/g, "");
}
