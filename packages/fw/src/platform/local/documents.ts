import type { Document, Key } from "../contract.ts";
import { outdatedProperty } from "../definitions.ts";
import { decodeFields, storedValues, valuesWritten, type EncodedDocument } from "../document.ts";
import { isPlatformError } from "../errors.ts";
import type { PendingWrite } from "../pending-writes.ts";
import type { Fields } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import type { LocalChanges } from "./changes.ts";
import { entryKeys } from "./index-entries.ts";
import type { IndexRows } from "./index-rows.ts";
import { prepareAll, type Database, type Row, type Statement } from "./sqlite.ts";
import type { Versions } from "./versions.ts";

const statements = {
  get: "SELECT version, expires, body FROM documents WHERE kind = ? AND id = ?",
  insert: "INSERT INTO documents (kind, id, version, expires, body) VALUES (?, ?, ?, ?, ?)",
  update: "UPDATE documents SET version = ?, expires = ?, body = ? WHERE kind = ? AND id = ?",
  delete: "DELETE FROM documents WHERE kind = ? AND id = ?",
  addEntry: "INSERT OR IGNORE INTO entries VALUES (?, ?, ?)",
  expired: "SELECT kind, id FROM documents WHERE expires <= ? ORDER BY expires LIMIT ?",
  removeEntry: "DELETE FROM entries WHERE ix = ? AND key = ? AND id = ?",
} as const;

/** The entries of one index that a write replaces. */
interface ChangedEntries {
  readonly ix: number;
  readonly oldKeys: readonly Buffer[];
  readonly newKeys: readonly Buffer[];
}

interface DocumentParts {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly versions: Versions;
  readonly changes: Pick<LocalChanges, "add">;
  readonly indexRows: Pick<IndexRows, "withdraw">;
}

/** The tables of documents and their index entries. Writes must run inside a SQLite transaction. */
export class Documents {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #catalog: Catalog;
  readonly #versions: Versions;
  readonly #changes: Pick<LocalChanges, "add">;
  readonly #indexRows: Pick<IndexRows, "withdraw">;

  constructor({ database, catalog, versions, changes, indexRows }: DocumentParts) {
    this.#indexRows = indexRows;
    this.#catalog = catalog;
    this.#versions = versions;
    this.#changes = changes;
    this.#sql = prepareAll(database, statements);
  }

  /** Returns the document's row, unless it has expired. */
  find(kind: string, id: string, now: number): Row | undefined {
    const row = this.#sql.get.get(kind, id);
    return row === undefined || isExpired(row, now) ? undefined : row;
  }

  /**
   * Inserts, replaces or deletes a document, including an expired one. Returns its new version, or "" if there was
   * nothing to delete.
   */
  write({ key: { kind, id }, document, expires }: Pick<PendingWrite, "key" | "document" | "expires">): string {
    const before = this.#sql.get.get(kind, id);
    if (before === undefined && document === undefined) return "";
    // Computed before any change, because it throws if the old document is damaged.
    const entries = this.#changedEntries(kind, id, before, document);
    const version = this.#versions.next();
    this.#changes.add(kind, id);
    const until = expires?.getTime() ?? null;
    if (document === undefined) this.#sql.delete.run(kind, id);
    else if (before === undefined) this.#sql.insert.run(kind, id, version, until, document.body);
    else this.#sql.update.run(version, until, document.body, kind, id);
    for (const { ix, oldKeys, newKeys } of entries) {
      for (const key of oldKeys) {
        this.#sql.removeEntry.run(ix, key, id);
        this.#indexRows.withdraw(ix, key, id);
      }
      for (const key of newKeys) this.#sql.addEntry.run(ix, key, id);
    }
    return String(version);
  }

  /** Deletes up to `limit` expired documents, even of undeclared kinds; returns the number deleted. */
  removeExpired(now: number, limit: number): number {
    const rows = this.#sql.expired.all(now, limit);
    return rows.filter(([kind, id]) => this.#removeExpired({ kind: String(kind), id: String(id) })).length;
  }

  /** Deletes an expired document. Returns false if it is damaged, so that others can still expire. */
  #removeExpired(key: Key): boolean {
    try {
      this.write({ key, document: undefined, expires: undefined });
      return true;
    } catch (error) {
      if (isPlatformError(error, "data")) return false;
      throw error;
    }
  }

  #changedEntries(
    name: string,
    id: string,
    before: Row | undefined,
    after: EncodedDocument | undefined,
  ): ChangedEntries[] {
    const changes: ChangedEntries[] = [];
    let fieldsBefore: Fields | undefined;
    for (const { kind, indexes } of this.#catalog.maintainedBy(name)) {
      const old = before && storedValues(kind, id, (fieldsBefore ??= decodeFields(String(before[2]))));
      // The kind may have been redefined between encoding and writing.
      const now = after && (after.kind === kind ? after.indexed : valuesWritten(kind, id, after));
      for (const { ix, properties } of indexes) {
        const oldKeys = old === undefined ? [] : entryKeys(properties, old);
        const newKeys = now === undefined ? [] : entryKeys(properties, now);
        // The row does not say whether the document was outdated, so this index's entries are always replaced.
        const isKept = properties[0]?.property !== outdatedProperty;
        if (isKept && oldKeys.length === 1 && newKeys.length === 1 && oldKeys[0]?.equals(newKeys[0] as Buffer))
          continue;
        changes.push({ ix, oldKeys, newKeys });
      }
    }
    return changes;
  }
}

function isExpired(row: Row, now: number): boolean {
  return typeof row[1] === "number" && row[1] <= now;
}

/** Reads a document from a row that starts with its version, expiry and body. */
export function documentOf(id: string, row: Row): Document {
  const [version, expires, body] = row;
  const fields = decodeFields(body as string);
  if (typeof expires !== "number") return { id, version: String(version), fields };
  return { id, version: String(version), fields, expires: new Date(expires) };
}
