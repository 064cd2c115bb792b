import type { ObjectPage } from "../objects.ts";
import { objectPage, storedFile, type StoredFile } from "../stored-object.ts";
import { prepareAll, type Database, type Row, type Statement } from "./sqlite.ts";

/** Each object's metadata; `file` names the file with its bytes. Keys are compared bytewise. */
export const objectTables = `
  CREATE TABLE objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, file TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, type TEXT NOT NULL,
    etag TEXT NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (bucket, key)
  ) WITHOUT ROWID;
`;

const columns = "file, key, size, type, etag, updated";

const statements = {
  get: `SELECT ${columns} FROM objects WHERE bucket = ? AND key = ?`,
  put: "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)",
  delete: "DELETE FROM objects WHERE bucket = ? AND key = ?",
  from: `SELECT ${columns} FROM objects WHERE bucket = ? AND key >= ? ORDER BY key LIMIT ?`,
  after: `SELECT ${columns} FROM objects WHERE bucket = ? AND key > ? ORDER BY key LIMIT ?`,
  holder: "SELECT 1 FROM objects WHERE file = ?",
} as const;

/** The table of objects. Writes must run inside a SQLite transaction. */
export class ObjectRows {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, statements);
  }

  find(bucket: string, key: string): StoredFile | undefined {
    const row = this.#sql.get.get(bucket, key);
    return row && objectOf(row);
  }

  /** Writes an object and returns the file of the replaced one, if any. */
  put(bucket: string, { file, facts }: StoredFile): string | undefined {
    const before = this.find(bucket, facts.key)?.file;
    const { key, size, contentType, etag, updated } = facts;
    this.#sql.put.run(bucket, key, file, size, contentType, etag, updated.getTime());
    return before;
  }

  /** Deletes an object and returns its file, if any. */
  delete(bucket: string, key: string): string | undefined {
    const before = this.find(bucket, key)?.file;
    this.#sql.delete.run(bucket, key);
    return before;
  }

  list(bucket: string, prefix: string, after: string | undefined, limit: number): ObjectPage {
    const behind = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const rows = behind ? this.#sql.after.all(bucket, after, limit + 1) : this.#sql.from.all(bucket, prefix, limit + 1);
    const objects = rows.map((row) => objectOf(row).facts).filter(({ key }) => key.startsWith(prefix));
    return objectPage(objects, limit);
  }

  holds(file: string): boolean {
    return this.#sql.holder.get(file) !== undefined;
  }
}

function objectOf([file, key, size, type, etag, updated]: Row): StoredFile {
  return storedFile({ file, key, size, type, etag, updated });
}
