import type { Kind } from "../definitions.ts";
import { decodeFields, storedValues } from "../document.ts";
import type { StepLimit } from "../fill-pace.ts";
import type { StoredIndex } from "./catalog.ts";
import { entryKeys } from "./index-entries.ts";
import { prepareAll, type Database, type Statement } from "./sqlite.ts";

/** Steps of a process that nothing else uses. */
export const fastStep: StepLimit = { documents: 500, bytes: 4 * 1024 * 1024, milliseconds: 4 };

/** Documents that the first step reads, and entries that it inserts, before the time and size of any are known. */
const firstCount = 8;

/** The entries that one step of a fill inserts for each document that a step may read. */
const entriesPerDocument = 4;

/** The most entries of a fill that wait in memory, and their bytes. */
const batchEntries = 65_536;
const batchBytes = 8 * 1024 * 1024;

/** The documents in the first batch of a fill. Later ones grow with the fill, so that a killed process loses a third. */
const firstBatch = 1_000;

/**
 * Entries that wait in memory for the rest of their batch. In their order, a step changes a few pages of the index;
 * in the order of the documents, it would change one for each entry.
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
 * Fills indexes of a kind in steps. Some collect the entries of a batch of documents in memory, and others then insert
 * them in their order.
 */
export class FillSteps {
  readonly #kind: Kind;
  readonly #indexes: readonly StoredIndex[];
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  /** The id up to which entries are collected. */
  #position: string;
  /** The average number of characters in the documents of the last step, and of milliseconds for each. */
  #perDocument: { readonly size: number; readonly ms: number } | undefined;
  /** The average number of milliseconds for an entry of the last step that inserted some. */
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

  /** The documents whose entries are collected or inserted. */
  get documents(): number {
    return this.#documents;
  }

  /** Whether a batch is collected, so that `insert` is the next step. */
  get isCollected(): boolean {
    return this.#isCollected;
  }

  get isDone(): boolean {
    return this.#isLastBatch && !this.#isCollected;
  }

  /** Forgets an entry that a write of its document removes. */
  withdraw(ix: number, key: Buffer, id: string): void {
    this.#sql.withdraw.run(ix, key, id);
  }

  /** Forgets the batch in progress. */
  end(): void {
    this.#sql.clear.run();
  }

  /** Collects the entries of the next documents. Must run outside of transactions. */
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

  /** The number of documents to read, so that few of them do not fit into the step. */
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
   * Inserts the first waiting entries. Returns the id up to which the indexes are complete after the last ones. Must run
   * inside a transaction.
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
