import type { ObjectFacts, ObjectPage } from "../objects.ts";
import { prepared, type Database, type Row, type Statement } from "./sqlite.ts";

/** What is known of each object; `file` names its bytes. Keys compare by their bytes. */
export const objectTables = `
  CREATE TABLE objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, file TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, type TEXT NOT NULL,
    etag TEXT NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (bucket, key)
  ) WITHOUT ROWID;
`;

/** An object and the file that holds it. */
export interface KeptObject {
  readonly file: string;
  readonly facts: ObjectFacts;
}

const columns = "file, key, size, type, etag, updated";

const statements = {
  get: `SELECT ${columns} FROM objects WHERE bucket = ? AND key = ?`,
  put: "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)",
  delete: "DELETE FROM objects WHERE bucket = ? AND key = ?",
  from: `SELECT ${columns} FROM objects WHERE bucket = ? AND key >= ? ORDER BY key LIMIT ?`,
  after: `SELECT ${columns} FROM objects WHERE bucket = ? AND key > ? ORDER BY key LIMIT ?`,
  holder: "SELECT 1 FROM objects WHERE file = ?",
} as const;

/** The table of objects. The writes are for use inside a SQLite transaction. */
export class ObjectRows {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(database: Database) {
    this.#sql = prepared(database, statements);
  }

  find(bucket: string, key: string): KeptObject | undefined {
    const row = this.#sql.get.get(bucket, key);
    return row && keptObject(row);
  }

  /** Writes the object; the result is the file that held it before. */
  put(bucket: string, { file, facts }: KeptObject): string | undefined {
    const before = this.find(bucket, facts.key)?.file;
    const { key, size, contentType, etag, updated } = facts;
    this.#sql.put.run(bucket, key, file, size, contentType, etag, updated.getTime());
    return before;
  }

  /** Deletes the object; the result is the file that held it. */
  delete(bucket: string, key: string): string | undefined {
    const before = this.find(bucket, key)?.file;
    this.#sql.delete.run(bucket, key);
    return before;
  }

  /** Objects whose keys begin with a prefix, after a key. */
  list(bucket: string, prefix: string, after: string | undefined, limit: number): ObjectPage {
    const behind = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const rows = behind ? this.#sql.after.all(bucket, after, limit + 1) : this.#sql.from.all(bucket, prefix, limit + 1);
    const objects = rows.map((row) => keptObject(row).facts).filter(({ key }) => key.startsWith(prefix));
    const last = objects[limit - 1];
    return objects.length > limit && last !== undefined
      ? { objects: objects.slice(0, limit), next: last.key }
      : { objects };
  }

  /** Whether a file holds an object. */
  holds(file: string): boolean {
    return this.#sql.holder.get(file) !== undefined;
  }
}

function keptObject([file, key, size, type, etag, updated]: Row): KeptObject {
  const facts = {
    key: String(key),
    size: Number(size),
    contentType: String(type),
    updated: new Date(Number(updated)),
    etag: String(etag),
  };
  return { file: String(file), facts };
}
