import type { Kind } from "../definitions.ts";
import { decodeFields, storedValues } from "../document.ts";
import type { StepLimit } from "../fill-pace.ts";
import type { StoredIndex } from "./catalog.ts";
import { entryKeys } from "./index-entries.ts";
import { prepareAll, type Database, type Statement } from "./sqlite.ts";

/** The prefix of `ready` for an index that is being filled; the id up to which it is complete follows. */
export const positionMark = "to:";

/** Documents that the first step reads, before the size of any is known. */
const firstReads = 8;

const statements = {
  read: "SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?",
  insert: "INSERT OR IGNORE INTO entries VALUES (?, ?, ?)",
  record: "UPDATE indexes SET ready = ? WHERE ix = ?",
} as const;

/** Fills indexes of a kind in steps, each of which runs inside a transaction. */
export class FillSteps {
  readonly #kind: Kind;
  readonly #indexes: readonly StoredIndex[];
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  /** The id up to which the indexes are complete. */
  #position: string;
  /** The average number of characters in the documents of the last step. */
  #averageSize: number | undefined;
  #documents = 0;

  constructor(database: Database, kind: Kind, indexes: readonly StoredIndex[], position = "") {
    this.#kind = kind;
    this.#indexes = indexes;
    this.#sql = prepareAll(database, statements);
    this.#position = position;
  }

  get documents(): number {
    return this.#documents;
  }

  /** Indexes the next documents and records the position; returns true at the end. */
  next(limit: StepLimit): boolean {
    const ends = performance.now() + limit.milliseconds;
    const reads = this.#reads(limit);
    const rows = this.#sql.read.all(this.#kind.kind, this.#position, reads);
    let size = 0;
    let count = 0;
    for (const [id, body] of rows) {
      if (count > 0 && (size >= limit.bytes || performance.now() >= ends)) break;
      this.#index(String(id), String(body));
      this.#position = String(id);
      size += String(body).length;
      count++;
    }
    this.#documents += count;
    if (count > 0) this.#record(size / count);
    return count === rows.length && rows.length < reads;
  }

  /** The number of documents to read, so that few of them do not fit into the step. */
  #reads({ documents, bytes }: StepLimit): number {
    if (this.#averageSize === undefined) return Math.min(firstReads, documents);
    return Math.max(1, Math.min(documents, Math.ceil(bytes / this.#averageSize)));
  }

  #index(id: string, body: string): void {
    const values = storedValues(this.#kind, id, decodeFields(body));
    for (const { ix, properties } of this.#indexes)
      for (const key of entryKeys(properties, values)) this.#sql.insert.run(ix, key, id);
  }

  #record(averageSize: number): void {
    this.#averageSize = Math.max(1, averageSize);
    for (const { ix } of this.#indexes) this.#sql.record.run(`${positionMark}${this.#position}`, ix);
  }
}
