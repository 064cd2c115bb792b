import type { Kind } from "../definitions.ts";
import { decodeFields, storedValues } from "../document.ts";
import type { StepLimit } from "../fill-pace.ts";
import type { StoredIndex } from "./catalog.ts";
import { entryKeys } from "./index-entries.ts";
import { prepareAll, type Database, type Statement } from "./sqlite.ts";

/** The step size in a process that does nothing else. */
export const fastStep: StepLimit = { documents: 500, bytes: 4 * 1024 * 1024, milliseconds: 4 };

/** The number of documents or entries in the first step, before their size and duration are known. */
const firstCount = 8;

/** The number of entries that a step may insert for each document that it may read. */
const entriesPerDocument = 4;

/** The maximum number of entries in a batch, which wait in memory, and their maximum total size in bytes. */
const batchEntries = 65_536;
const batchBytes = 8 * 1024 * 1024;

/**
 * The number of documents in the first batch. Later batches grow, so that a killed process loses at most a third of its
 * work.
 */
const firstBatch = 1_000;

/**
 * Entries that wait in memory until their batch is complete. Inserted in index order, the entries of a step change only
 * a few pages; in document order, each entry would change a different page.
 */
const tables = `
  PRAGMA temp_store = MEMORY;
  CREATE TEMP TABLE IF NOT EXISTS waiting (
    ix INTEGER, key BLOB, id TEXT, PRIMARY KEY (ix, key, id)
  ) WITHOUT ROWID;
  DELETE FROM temp.waiting;
`;

const statements = {
  read: "SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?",
  collect: "INSERT OR IGNORE INTO temp.waiting VALUES (?, ?, ?)",
  withdraw: "DELETE FROM temp.waiting WHERE ix = ? AND key = ? AND id = ?",
  last: "SELECT ix, key, id FROM temp.waiting ORDER BY ix, key, id LIMIT 1 OFFSET ?",
  insert: "INSERT OR IGNORE INTO entries SELECT ix, key, id FROM temp.waiting WHERE (ix, key, id) <= (?, ?, ?)",
  remove: "DELETE FROM temp.waiting WHERE (ix, key, id) <= (?, ?, ?)",
  insertRest: "INSERT OR IGNORE INTO entries SELECT ix, key, id FROM temp.waiting",
  clear: "DELETE FROM temp.waiting",
} as const;

/**
 * Fills indexes of a kind in steps: some collect the entries of a batch of documents in memory, and others insert them
 * in index order.
 */
export class FillSteps {
  readonly #kind: Kind;
  readonly #indexes: readonly StoredIndex[];
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  /** The id of the last document whose entries were collected. */
  #position: string;
  /** Averages for the documents of the last step: size in characters and time in milliseconds. */
  #perDocument: { readonly size: number; readonly ms: number } | undefined;
  /** The average milliseconds per entry in the last step that inserted entries. */
  #perEntryMs: number | undefined;
  #documents = 0;
  #batch = { documents: 0, entries: 0, bytes: 0 };
  #isCollected = false;
  #isLastBatch = false;

  constructor(database: Database, kind: Kind, indexes: readonly StoredIndex[], position = "") {
    const names = new Set(indexes.flatMap(({ properties }) => properties.map(({ property }) => property)));
    this.#kind = { ...kind, indexed: new Map([...kind.indexed].filter(([name]) => names.has(name))) };
    this.#indexes = indexes;
    database.exec(tables);
    this.#sql = prepareAll(database, statements);
    this.#position = position;
  }

  /** The number of documents whose entries have been collected or inserted. */
  get documents(): number {
    return this.#documents;
  }

  /** Whether a complete batch has been collected, so that `insert` is the next step. */
  get isCollected(): boolean {
    return this.#isCollected;
  }

  get isDone(): boolean {
    return this.#isLastBatch && !this.#isCollected;
  }

  /** Discards a waiting entry, because its document is being rewritten or deleted. */
  withdraw(ix: number, key: Buffer, id: string): void {
    this.#sql.withdraw.run(ix, key, id);
  }

  /** Discards the batch in progress. */
  end(): void {
    this.#sql.clear.run();
  }

  /** Collects the entries of the next documents. Must run outside of a transaction. */
  collect(limit: StepLimit): void {
    const started = performance.now();
    const reads = this.#reads(limit);
    const rows = this.#sql.read.all(this.#kind.kind, this.#position, reads);
    const read = performance.now();
    let size = 0;
    let count = 0;
    for (const [id, body] of rows) {
      if (count > 0 && (size >= limit.bytes || performance.now() >= started + limit.milliseconds)) break;
      this.#collectDocument(String(id), String(body));
      this.#position = String(id);
      size += String(body).length;
      count++;
    }
    this.#documents += count;
    this.#batch.documents += count;
    if (count > 0) this.#perDocument = { size: Math.max(1, size / count), ms: (performance.now() - read) / count };
    this.#isLastBatch = count === rows.length && rows.length < reads;
    this.#isCollected = this.#isLastBatch || this.#isBatchFull();
  }

  /** Returns the number of documents to read, estimated so that reading them fits into the step. */
  #reads({ documents, bytes, milliseconds }: StepLimit): number {
    if (this.#perDocument === undefined) return Math.min(firstCount, documents);
    const { size, ms } = this.#perDocument;
    return Math.max(1, Math.min(documents, Math.ceil(bytes / size), Math.round(milliseconds / ms)));
  }

  #collectDocument(id: string, body: string): void {
    const values = storedValues(this.#kind, id, decodeFields(body));
    for (const { ix, properties } of this.#indexes)
      for (const key of entryKeys(properties, values)) {
        this.#sql.collect.run(ix, key, id);
        this.#batch.entries++;
        this.#batch.bytes += key.length + id.length;
      }
  }

  #isBatchFull(): boolean {
    const { documents, entries, bytes } = this.#batch;
    if (entries >= batchEntries || bytes >= batchBytes) return true;
    return documents >= Math.max(firstBatch, (this.#documents - documents) / 2);
  }

  /**
   * Inserts one step of waiting entries, in index order, and returns undefined. The last step of a batch returns the id
   * up to which the indexes are complete. Must run inside a transaction.
   */
  insert(limit: StepLimit): string | undefined {
    const count = this.#inserts(limit);
    const started = performance.now();
    const [last] = this.#sql.last.all(count - 1);
    if (last === undefined) return this.#endBatch();
    this.#sql.insert.run(...last);
    this.#sql.remove.run(...last);
    this.#perEntryMs = (performance.now() - started) / count;
    return undefined;
  }

  #inserts({ documents, milliseconds }: StepLimit): number {
    if (this.#perEntryMs === undefined) return Math.min(firstCount, documents);
    return Math.max(1, Math.min(documents * entriesPerDocument, Math.round(milliseconds / this.#perEntryMs)));
  }

  #endBatch(): string {
    this.#sql.insertRest.run();
    this.#sql.clear.run();
    this.#batch = { documents: 0, entries: 0, bytes: 0 };
    this.#isCollected = false;
    return this.#position;
  }
}
