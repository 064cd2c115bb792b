import { accountTables } from "./accounts.ts";
import { messageTables } from "./messages.ts";
import { objectTables } from "./objects-rows.ts";
import { PlatformError } from "../errors.ts";
import type { Database } from "./sqlite.ts";

/**
 * `documents.n` is SQLite's own row number, which the next version does without. `entries` holds a row for each index and document: `key` is the indexed values
 * encoded so that their bytes sort as the values do (`index-key.ts`). `indexes.ready` is 0 until all documents are in.
 * `numbers.version` bounds the versions ever given out. A released lease keeps its row, for its token.
 */
const documentTables = `
  CREATE TABLE documents (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
    body TEXT NOT NULL, UNIQUE (kind, id)
  );
  CREATE INDEX documents_expires ON documents (expires) WHERE expires IS NOT NULL;
  CREATE TABLE indexes (ix INTEGER PRIMARY KEY, kind TEXT NOT NULL, properties TEXT NOT NULL, ready INTEGER NOT NULL);
  CREATE TABLE entries (ix INTEGER, key BLOB, id TEXT, PRIMARY KEY (ix, key, id)) WITHOUT ROWID;
  CREATE TABLE leases (name TEXT PRIMARY KEY, token INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
`;

/** Makes a connection fast, and durable: with `FULL` every commit is on disk when it returns. */
export function configure(database: Database, synchronous: "FULL" | "OFF"): void {
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec("PRAGMA page_size = 8192");
  database.prepare("PRAGMA journal_mode = WAL").get();
  database.exec("PRAGMA cache_size = -65536");
  // The directory is one process's: its reads need not ask the system for a lock each.
  database.keep();
}

/** A document lies where its kind and id are found, so that a read looks through one tree instead of two. */
const clusteredDocuments = `
  ALTER TABLE documents RENAME TO numbered;
  CREATE TABLE documents (
    kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  INSERT INTO documents SELECT kind, id, version, expires, body FROM numbered ORDER BY kind, id;
  DROP TABLE numbered;
  CREATE INDEX documents_expires ON documents (expires) WHERE expires IS NOT NULL;
`;

/** What each version of the store changed; a store of a later version is refused. */
const versions: readonly string[] = [
  documentTables,
  `${accountTables}${objectTables}${messageTables}`,
  clusteredDocuments,
];

/** Makes the tables of a new store, and those that an older one lacks; fails with `document` when a later fw made them. */
export function migrate(database: Database, directory: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.[0]);
  if (version === versions.length) return;
  if (version > versions.length)
    throw new PlatformError(
      "document",
      `the data in ${directory} was written by a later version of fw; install that one`,
    );
  database.exec("BEGIN IMMEDIATE");
  for (const tables of versions.slice(version)) database.exec(tables);
  if (version === 0) database.prepare("INSERT INTO numbers VALUES ('version', 0)").run();
  database.exec(`PRAGMA user_version = ${versions.length}`);
  database.exec("COMMIT");
}
