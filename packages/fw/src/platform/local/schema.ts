import { addressKey } from "../account-fields.ts";
import { accountTables } from "./accounts.ts";
import { messageTables } from "./messages.ts";
import { objectTables } from "./objects-rows.ts";
import { PlatformError } from "../errors.ts";
import type { Database } from "./sqlite.ts";

/**
 * A document lies where its key is found, so that a get looks through one tree. `entries` holds a row for each index and
 * document: `key` is the indexed values encoded so that their bytes sort as the values do (`index-key.ts`). `indexes.ready` is 0
 * until all documents are in, and 2 once no two of them have one value, which then stays so. `numbers.version` bounds the versions ever given out. A released lease keeps its row, for its token.
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

/** Bytes that the log keeps once what is in it has come to the store, which is about as often as it has so many. */
const logBytes = 16 * 1024 * 1024;

/** Makes a connection fast, and durable: with `FULL` every commit is on disk when it returns. */
export function configure(database: Database, synchronous: "FULL" | "OFF"): void {
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec("PRAGMA page_size = 8192");
  database.prepare("PRAGMA journal_mode = WAL").get();
  database.exec("PRAGMA cache_size = -65536");
  database.prepare(`PRAGMA journal_size_limit = ${logBytes}`).get();
  // The directory is one process's: its reads need not ask the system for a lock each.
  database.keep();
  // Where another program has it, that is found out now and not with the first write.
  database.exec("BEGIN IMMEDIATE");
  database.exec("ROLLBACK");
}

const statements: readonly string[] = [documentTables, accountTables, objectTables, messageTables]
  .flatMap((tables) => tables.split(";"))
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");

/** Raised when a store is no longer one that the fw before could work on. */
export const storeVersion = 4;

/** Before this version an index that was filled while others wrote could lack entries, and addresses were compared otherwise. */
const repaired = 4;

/** How stores before version 3 kept documents: by number, with an index of their keys beside them. */
const numberedDocuments = `
  CREATE TABLE documents (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
    body TEXT NOT NULL, UNIQUE (kind, id)
  )`;

/**
 * Makes the tables of a new store, and those that an older one lacks or kept in another shape. Fails with `data` where a later fw
 * made the store, or another build that kept a table in a shape of its own.
 */
export function migrate(database: Database, directory: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.[0]);
  if (version > storeVersion)
    throw new PlatformError("data", `the data in ${directory} was written by a later version of fw; install that one`);
  const kept = shapesIn(database);
  const numbered = kept.get("documents") === shapeOf(numberedDocuments);
  if (numbered) for (const name of ["documents", "documents_expires"]) kept.delete(name);
  const missing = missingIn(kept, directory);
  if (missing.length === 0 && version === storeVersion) return;
  database.exec("BEGIN IMMEDIATE");
  if (numbered) setNumberedAside(database);
  for (const statement of missing) database.exec(statement);
  if (numbered) takeNumberedIn(database);
  if (version < repaired) repair(database);
  database.exec("INSERT OR IGNORE INTO numbers VALUES ('version', 0)");
  database.exec(`PRAGMA user_version = ${storeVersion}`);
  database.exec("COMMIT");
}

/** Lets all indexes be filled again, and compares accounts by the addresses of today. */
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

/** What makes the tables and indexes that a store has, by name. */
function shapesIn(database: Database): Map<string, string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all();
  return new Map(rows.map(([name, sql]) => [String(name), shapeOf(String(sql))]));
}

/** The statements for tables and indexes that the store does not have. */
function missingIn(kept: ReadonlyMap<string, string>, directory: string): string[] {
  return statements.filter((statement) => {
    const name = nameIn(statement);
    const shape = kept.get(name);
    if (shape === undefined || shape === shapeOf(statement)) return shape === undefined;
    throw new PlatformError(
      "data",
      `the data in ${directory} was made by another build of fw, which kept ${name} in another shape; run that build, or delete the directory to begin without data`,
    );
  });
}

function nameIn(statement: string): string {
  return /^CREATE (?:TABLE|INDEX) (\w+)/.exec(statement)?.[1] ?? "";
}

/** SQLite keeps the text of a statement: how it is laid out makes no difference. */
function shapeOf(statement: string): string {
  return statement.replaceAll(/\s+/g, "");
}
