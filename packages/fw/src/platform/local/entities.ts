import { pageDocuments } from "../../lib/limits.ts";
import { BaseEntities } from "../base-entities.ts";
import type {
  Clock,
  Document,
  Key,
  Page,
  Query,
  Total,
  Transaction,
  TransactionOptions,
  Version,
} from "../contract.ts";
import { openCursor, pageOfQuery, type Position } from "../cursor.ts";
import { encodeDocument, isStorableId, valueOf, type EncodedDocument } from "../document.ts";
import type { Kinds } from "../definitions.ts";
import { closedError } from "../errors.ts";
import { refusalOf, type PendingWrite, type SingleWrite } from "../pending-writes.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../query-operations.ts";
import {
  checkLimit,
  checkUpTo,
  fillingError,
  needsCurrentDocuments,
  orderValues,
  planOutdated,
  typedProperties,
  unfitDocumentsQuery,
  unfitError,
  planQuery,
  type Plan,
} from "../query-plan.ts";
import { SumAccumulator, totalQuery } from "../total.ts";
import type { Fields } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import { documentOf, type Documents } from "./documents.ts";
import type { LocalLeases } from "./leases.ts";
import type { LocalMessages } from "./messages.ts";
import type { Queries } from "./queries.ts";
import { LocalTransaction, type Commit } from "./transaction.ts";
import type { Uniques } from "./uniques.ts";
import type { Versions } from "./versions.ts";
import type { WriteQueue } from "./write-queue.ts";

interface StoreParts {
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

/** Documents in SQLite. Reads are synchronous; writes go through the queue. */
export class LocalEntities extends BaseEntities {
  readonly #parts: StoreParts;
  /** Synchronous versions of the query operations. */
  readonly now: { readonly [Name in QueryOperation]: (...given: QueryArgs[Name]) => QueryResults[Name] } = {
    query: (query) => this.#query(query),
    count: (query, upTo) => this.#count(query, upTo),
    total: (query, property) => this.#total(query, property),
  };
  readonly #own: Kinds | undefined;
  readonly #state: { isClosed: boolean };

  /** `own` contains the definitions that the callers were built with; defaults to the newest ones. */
  constructor(parts: StoreParts, own?: Kinds, state = { isClosed: false }) {
    super();
    this.#parts = parts;
    this.#own = own;
    this.#state = state;
  }

  /** Returns a view of the same store for code that was built with these definitions. */
  builtWith(kinds: Kinds): LocalEntities {
    return new LocalEntities(this.#parts, this.#parts.catalog.matching(kinds), this.#state);
  }

  close(): void {
    this.#state.isClosed = true;
  }

  getNow(key: Key): Document | undefined {
    this.#refuseIfClosed();
    const { catalog, clock, documents } = this.#parts;
    catalog.check(key.kind);
    if (!isStorableId(key.id)) return undefined;
    const row = documents.find(key.kind, key.id, clock.now());
    return row === undefined ? undefined : documentOf(key.id, row);
  }

  check(kind: string): void {
    this.#parts.catalog.check(kind);
  }

  /** The last assigned version. Transactions recheck their reads only if it has changed. */
  get sequence(): number {
    return this.#parts.versions.last;
  }

  async begin(options?: TransactionOptions): Promise<Transaction> {
    this.#refuseIfClosed();
    return new LocalTransaction(this, options?.fence);
  }

  protected async ask<Name extends QueryOperation>(name: Name, given: QueryArgs[Name]): Promise<QueryResults[Name]> {
    return this.now[name](...given);
  }

  protected async find(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    return keys.map((key) => this.getNow(key));
  }

  protected async write(write: SingleWrite): Promise<Version> {
    return this.#parts.queue.write(() => this.#apply([write])[0] ?? "");
  }

  /** Encodes with the first definition that accepts the document, because old code may need an older one. */
  encode(key: Key, fields: Fields): EncodedDocument {
    return this.#parts.catalog.first(key.kind, ["document"], (kind) => encodeDocument(kind, key, fields), this.#own);
  }

  #plan(query: Omit<Query, "limit" | "after">): Plan {
    const { catalog, queries, clock } = this.#parts;
    const plan = catalog.first(query.kind, ["index", "query"], (kind) => planQuery(kind, query), this.#own);
    if (needsCurrentDocuments(plan) && queries.count(planOutdated(plan.kind), 1) > 0) throw fillingError(plan.kind);
    for (const property of typedProperties(plan)) {
      const unfit = planQuery(plan.kind, unfitDocumentsQuery(plan.kind, property, query));
      const [document] = queries.documents(unfit, 1, undefined, clock.now());
      if (document !== undefined) throw unfitError(plan.kind, property, document.id);
    }
    return plan;
  }

  #query(query: Query): Page {
    this.#refuseIfClosed();
    checkLimit(query.limit);
    const { queries, clock, cursorKey } = this.#parts;
    const plan = this.#plan(query);
    const position = query.after === undefined ? undefined : openCursor(cursorKey, query, query.after);
    return pageOfQuery(cursorKey, query, plan, queries.documents(plan, query.limit + 1, position, clock.now()));
  }

  #count(query: Omit<Query, "limit" | "after">, upTo?: number): number {
    this.#refuseIfClosed();
    checkUpTo(upTo);
    return this.#parts.queries.count(this.#plan(query), upTo);
  }

  /** Adds up a property page by page, because the documents may not all fit into memory. */
  #total(query: Omit<Query, "limit" | "after">, property: string): Total {
    this.#refuseIfClosed();
    const { clock, queries } = this.#parts;
    const plan = this.#plan(totalQuery(query, property));
    const summed = plan.kind.indexed.get(property);
    const adding = new SumAccumulator();
    const now = clock.now();
    for (let position: Position | undefined; ;) {
      const documents = queries.documents(plan, pageDocuments, position, now);
      for (const { id, fields } of documents) adding.add(summed && valueOf(summed, id, fields));
      const last = documents.at(-1);
      if (last === undefined || documents.length < pageDocuments) return adding.total;
      position = { values: orderValues(plan, last), id: last.id };
    }
  }

  /** Writes everything or nothing, provided that the check passes and the lease of the fence is still held. */
  commit({ check, writes, messages, fence }: Commit): Promise<void> {
    const { leases, messages: outbox, queue } = this.#parts;
    return queue.write(() => {
      if (fence !== undefined) leases.check(fence);
      check();
      this.#apply(writes);
      for (const { destination, message, id } of messages) outbox.enqueue(destination, message, id);
    });
  }

  #apply(writes: readonly (PendingWrite & Partial<SingleWrite>)[]): readonly Version[] {
    const { documents, uniques } = this.#parts;
    for (const write of writes) {
      const isConditional = write.expects !== "either" || write.version !== undefined;
      const refusal = isConditional ? refusalOf(write, this.getNow(write.key)) : undefined;
      if (refusal !== undefined) throw refusal;
    }
    uniques.check(writes);
    return writes.map((write) => documents.write(write));
  }

  #refuseIfClosed(): void {
    if (this.#state.isClosed) throw closedError();
  }
}
