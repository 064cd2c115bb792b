import { pageDocuments } from "../../lib/limits.ts";
import type {
  Clock,
  ConditionalOptions,
  Document,
  EntityStore,
  Key,
  Page,
  Query,
  Total,
  Transaction,
  TransactionOptions,
  Version,
  WriteOptions,
} from "../contract.ts";
import { openCursor, sealCursor, type Position } from "../cursor.ts";
import { encodeDocument, isStorableId, valueOf } from "../document.ts";
import type { Encoded } from "../document.ts";
import { closedError, PlatformError } from "../errors.ts";
import { changedError, existsError, missingError } from "../pending-writes.ts";
import type { PendingWrite } from "../pending-writes.ts";
import { checkLimit, checkUpTo, orderValues, planQuery } from "../query-plan.ts";
import type { Plan } from "../query-plan.ts";
import { Adding, totalQuery } from "../total.ts";
import type { Fields } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import { documentOf } from "./documents.ts";
import type { Documents } from "./documents.ts";
import type { LocalLeases } from "./leases.ts";
import type { LocalMessages } from "./messages.ts";
import type { Queries } from "./queries.ts";
import { LocalTransaction } from "./transaction.ts";
import type { Commit, TransactionStore } from "./transaction.ts";
import type { Uniques } from "./uniques.ts";
import type { Versions } from "./versions.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The parts of an open store. */
export interface StoreParts {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly queries: Queries;
  readonly uniques: Uniques;
  readonly leases: LocalLeases;
  readonly messages: LocalMessages;
  readonly versions: Versions;
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly cursorKey: Uint8Array;
}

/** Documents in SQLite. Reads answer at once; writes go through the queue. */
export class LocalEntities implements EntityStore, TransactionStore {
  readonly #parts: StoreParts;
  #closed = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#closed = true;
  }

  async get(key: Key): Promise<Document | undefined> {
    return this.getNow(key);
  }

  getNow(key: Key): Document | undefined {
    this.#refuseIfClosed();
    const { catalog, clock, documents } = this.#parts;
    catalog.check(key.kind);
    if (!isStorableId(key.id)) return undefined;
    const row = documents.find(key.kind, key.id, clock.now());
    return row === undefined ? undefined : documentOf(key.id, row);
  }

  async getMany(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    if (keys.length > pageDocuments) throw new PlatformError("query", `one read takes at most ${pageDocuments} keys`);
    return keys.map((key) => this.getNow(key));
  }

  async insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#write(key, fields, options, (before) => {
      if (before !== undefined) throw existsError(key);
    });
  }

  async upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#write(key, fields, options);
  }

  async update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version> {
    const version = options?.version;
    return this.#write(key, fields, options, (before) => {
      if (before === undefined) throw missingError(key);
      checkVersion(key, before, version);
    });
  }

  async delete(key: Key, options?: ConditionalOptions): Promise<void> {
    const { catalog, documents, queue } = this.#parts;
    const { kind, id } = key;
    catalog.check(kind);
    const version = options?.version;
    return queue.write(() => {
      const before = this.getNow({ kind, id });
      if (before !== undefined) checkVersion(key, before, version);
      documents.remove(kind, id);
    });
  }

  async query(query: Query): Promise<Page> {
    return this.queryNow(query);
  }

  async count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    return this.countNow(query, upTo);
  }

  async total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total> {
    return this.totalNow(query, property);
  }

  check(kind: string): void {
    this.#parts.catalog.check(kind);
  }

  /** The version that was given out last: another one means that something was written. */
  get sequence(): number {
    return this.#parts.versions.last;
  }

  async begin(options?: TransactionOptions): Promise<Transaction> {
    this.#refuseIfClosed();
    return new LocalTransaction(this, options?.fence);
  }

  #write(
    key: Key,
    fields: Fields,
    options: WriteOptions | undefined,
    check?: (before: Document | undefined) => void,
  ): Promise<Version> {
    const { kind, id } = key;
    const { documents, queue, uniques } = this.#parts;
    const expires = options?.expires;
    const document = this.encode(key, fields);
    return queue.write(() => {
      check?.(this.getNow({ kind, id }));
      uniques.check([{ key: { kind, id }, document }]);
      return documents.write(kind, id, document, expires);
    });
  }

  /** What the kind refuses as it is defined now, code of before may still write. */
  encode(key: Key, fields: Fields): Encoded {
    return this.#parts.catalog.first(key.kind, ["document"], (kind) => encodeDocument(kind, key, fields));
  }

  /** As `encode`. */
  #plan(query: Omit<Query, "limit" | "after">): Plan {
    return this.#parts.catalog.first(query.kind, ["index", "query"], (kind) => planQuery(kind, query));
  }

  queryNow(query: Query): Page {
    this.#refuseIfClosed();
    checkLimit(query.limit);
    const { queries, clock, cursorKey } = this.#parts;
    const plan = this.#plan(query);
    const position = query.after === undefined ? undefined : openCursor(cursorKey, query, query.after);
    const documents = queries.documents(plan, query.limit + 1, position, clock.now());
    const last = documents[query.limit - 1];
    if (documents.length <= query.limit || last === undefined) return { documents };
    const next = sealCursor(cursorKey, query, { values: orderValues(plan, last), id: last.id });
    return { documents: documents.slice(0, query.limit), next };
  }

  countNow(query: Omit<Query, "limit" | "after">, upTo: number | undefined): number {
    this.#refuseIfClosed();
    checkUpTo(upTo);
    return this.#parts.queries.count(this.#plan(query), upTo);
  }

  /** A page of documents after the other: there may be more than fit into memory. */
  totalNow(query: Omit<Query, "limit" | "after">, property: string): Total {
    this.#refuseIfClosed();
    const { clock, queries } = this.#parts;
    const plan = this.#plan(totalQuery(query, property));
    const added = plan.kind.indexed.get(property);
    const adding = new Adding();
    const now = clock.now();
    for (let position: Position | undefined; ;) {
      const documents = queries.documents(plan, pageDocuments, position, now);
      for (const { id, fields } of documents) adding.add(added && valueOf(added, id, fields));
      const last = documents.at(-1);
      if (last === undefined || documents.length < pageDocuments) return adding.total;
      position = { values: orderValues(plan, last), id: last.id };
    }
  }

  commit({ check, writes, messages, fence }: Commit): Promise<void> {
    const { documents, leases, messages: outbox, queue, uniques } = this.#parts;
    return queue.write(() => {
      if (fence !== undefined) leases.check(fence);
      check();
      for (const write of writes) checkExpectation(write, this.getNow(write.key));
      uniques.check(writes);
      for (const { key, document, expires } of writes) {
        if (document === undefined) documents.remove(key.kind, key.id);
        else documents.write(key.kind, key.id, document, expires);
      }
      for (const { destination, message, id } of messages) outbox.enqueue(destination, message, id);
    });
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }
}

function checkVersion(key: Key, before: Document, version: Version | undefined): void {
  if (version !== undefined && version !== before.version) throw changedError(key);
}

function checkExpectation({ key, expects }: PendingWrite, before: Document | undefined): void {
  if (expects === "absent" && before !== undefined) throw existsError(key);
  if (expects === "present" && before === undefined) throw missingError(key);
}
