import { PlatformError } from "../../errors.ts";
import type { ObjectPage } from "../../objects.ts";
import { objectPage, storedFile, type StoredFile } from "../../stored-object.ts";
import type { Connections, WriteSql } from "../connections.ts";

/** The column with a file's bucket; "" for files of an earlier fw. */
export const uploadColumn = `bucket text COLLATE "C" NOT NULL DEFAULT ''`;

/**
 * `objects` has a row for each object; `file` names the file with its bytes. `object_files` lists the files of
 * uncommitted uploads and of replaced or deleted objects. They are deleted after `until`.
 */
export const objectTables: string = `
  CREATE TABLE @@objects (
    bucket text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, file text NOT NULL, size bigint NOT NULL,
    type text NOT NULL, etag text NOT NULL, updated bigint NOT NULL, PRIMARY KEY (bucket, key)
  );
  CREATE TABLE @@object_files (file text PRIMARY KEY, until bigint NOT NULL, ${uploadColumn});
`;

/** Milliseconds before a file's deletion at which its upload can no longer commit. Machines' clocks may differ. */
const cleanupLeadMs = 3_600_000;

const columns = "file, key, size, type, etag, updated";

export async function findObject(
  connections: Connections,
  bucket: string,
  key: string,
): Promise<StoredFile | undefined> {
  const rows = await connections.runRepeatable(`SELECT ${columns} FROM @@objects WHERE bucket = $1 AND key = $2`, [
    bucket,
    key,
  ]);
  return rows[0] && storedFile(rows[0]);
}

/** Lists objects whose keys start with a prefix and come after a given key. */
export async function listObjects(
  connections: Connections,
  bucket: string,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<ObjectPage> {
  // PostgreSQL cannot store NUL or lone surrogates, so no key has such a prefix. Keys contain no control characters, so
  // the part of `after` before a NUL selects the same keys.
  if (/[\0\p{Surrogate}]/u.test(prefix)) return { objects: [] };
  const [start = ""] = after?.split("\0") ?? [];
  const rows = await connections.runRepeatable(
    `SELECT ${columns} FROM @@objects WHERE bucket = $1 AND key >= $2 AND key > $3 AND starts_with(key, $2)
     ORDER BY key LIMIT ${limit + 1}`,
    [bucket, prefix, start],
  );
  return objectPage(
    rows.map((row) => storedFile(row).facts),
    limit,
  );
}

/**
 * Writes an object's row after its bytes are stored. Replaced bytes are deleted at `until`. Fails if the upload took so
 * long that its bytes may soon be deleted.
 */
export async function putObject(
  sql: WriteSql,
  bucket: string,
  { file, facts }: StoredFile,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<void> {
  const { key, size, contentType, etag, updated } = facts;
  const files = await sql.rows("DELETE FROM @@object_files WHERE file = $1 AND until > $2 RETURNING file", [
    file,
    now + cleanupLeadMs,
  ]);
  if (files.length === 0) throw new PlatformError("data", "the upload of the object took longer than a day");
  await retireObject(sql, bucket, key, until);
  await sql.rows(
    `INSERT INTO @@objects VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (bucket, key) DO UPDATE
     SET file = excluded.file, size = excluded.size, type = excluded.type, etag = excluded.etag, updated = excluded.updated`,
    [bucket, key, file, size, contentType, etag, updated.getTime()],
  );
}

/** Deletes an object's row; its bytes are deleted at `until`. */
export async function retireObject(sql: WriteSql, bucket: string, key: string, until: number): Promise<void> {
  await sql.rows(
    `WITH gone AS (DELETE FROM @@objects WHERE bucket = $1 AND key = $2 RETURNING file)
     INSERT INTO @@object_files SELECT file, $3, $1 FROM gone ON CONFLICT DO NOTHING`,
    [bucket, key, until],
  );
}
