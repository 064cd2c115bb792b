import { BaseEntities } from "../base-entities.ts";
import type { Clock, Document, Key, Query, Transaction, TransactionOptions, Version } from "../contract.ts";
import type { Kinds } from "../definitions.ts";
import { encodeDocument, isStorableId, type EncodedDocument } from "../document.ts";
import type { Destination } from "../messages.ts";
import type { SingleWrite } from "../pending-writes.ts";
import { copyOfArgs } from "../query-copy.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../query-operations.ts";
import { isPlatformError } from "../errors.ts";
import type { Plan } from "../query-plan.ts";
import type { Fields } from "../values.ts";
import type { Notify } from "./changes.ts";
import { commit, readRows, type Commit } from "./commit.ts";
import type { Connections, Sql } from "./connections.ts";
import type { DefinedKinds } from "./definitions.ts";
import type { SqlRow } from "./driver.ts";
import { isExpired } from "./expiry.ts";
import type { HeldSnapshot } from "./held-snapshot.ts";
import type { Moment } from "./moment.ts";
import type { Indexes } from "./indexes.ts";
import { countOf, documentOf, pageOf, totalOf, type Asking } from "./queries.ts";
import { planOnce } from "./plan-cache.ts";
import { PostgresTransaction } from "./transaction.ts";

export interface EntityParts {
  readonly connections: Connections;
  readonly kinds: DefinedKinds;
  readonly indexes: Indexes;
  readonly clock: Clock;
  readonly cursorKey: () => Uint8Array;
  /** Called after a commit that sent messages. */
  readonly sent: (destinations: readonly Destination[]) => void;
  /** Returns the notification that a commit sends to other processes. */
  readonly notify: Notify;
}

export class PostgresEntities extends BaseEntities {
  readonly #parts: EntityParts;
  readonly #own: Kinds | undefined;

  /** `own` are the definitions that the callers were built with; defaults to the newest ones. */
  constructor(parts: EntityParts, own?: Kinds) {
    super();
    this.#parts = parts;
    this.#own = own;
  }

  /** Returns the same documents for code built with these definitions. */
  builtWith(kinds: Kinds): PostgresEntities {
    return new PostgresEntities(this.#parts, kinds);
  }

  /** Returns the same documents, accessed through another role's connections. */
  through(connections: Connections): PostgresEntities {
    return new PostgresEntities({ ...this.#parts, connections }, this.#own);
  }

  check(kind: string): void {
    this.#parts.kinds.check(kind);
  }

  encode(key: Key, fields: Fields): EncodedDocument {
    return this.#parts.kinds.first(key.kind, ["document"], (kind) => encodeDocument(kind, key, fields), this.#own);
  }

  async begin(options?: TransactionOptions): Promise<Transaction> {
    this.#parts.connections.refuseIfClosed();
    return new PostgresTransaction(this, options?.fence);
  }

  /** Returns the result of a query in the snapshot that `sql` reads, by default as of the current time. */
  async answerIn<Name extends QueryOperation>(
    sql: Sql,
    name: Name,
    args: QueryArgs[Name],
    moment: Moment = this.#moment,
  ): Promise<QueryResults[Name]> {
    const asking = this.#asking(sql, moment);
    const answers: { readonly [Each in QueryOperation]: (...each: QueryArgs[Each]) => Promise<QueryResults[Each]> } = {
      query: (query) => pageOf(asking, query),
      count: (query, upTo) => countOf(asking, query, upTo),
      total: (query, property) => totalOf(asking, query, property),
    };
    return answers[name](...args);
  }

  /** The current time in milliseconds since 1970, on the clock for the expiry of documents. */
  get now(): number {
    return this.#parts.clock.now();
  }

  /** Runs statements in one snapshot of the database at the current time, and keeps the snapshot open for more. */
  hold<T>(
    work: (sql: Sql, moment: Moment) => Promise<T>,
  ): Promise<{ readonly result: T; readonly snapshot: HeldSnapshot<Moment> }> {
    const { connections, indexes } = this.#parts;
    return connections.during(async () => {
      await indexes.settled;
      const moment = this.#moment;
      return connections.hold(moment, (sql) => work(sql, moment));
    });
  }

  /** Runs statements in one snapshot of the database. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { connections, indexes } = this.#parts;
    return connections.during(async () => {
      await indexes.settled;
      return connections.snapshot(work);
    });
  }

  /** Reads documents' rows in one snapshot, including expired ones, in the order of the keys. */
  async rowsNow(keys: readonly Key[], sql?: Sql): Promise<readonly (SqlRow | undefined)[]> {
    for (const { kind } of keys) this.check(kind);
    const storable = keys.filter(({ id }) => isStorableId(id));
    const rows = await readRows(sql ?? this.#reading, storable);
    if (storable.length === keys.length) return rows;
    const byKey = new Map(storable.map((key, i) => [key, rows[i]]));
    return keys.map((key) => byKey.get(key));
  }

  /** Returns the document in a row, unless it has expired. */
  documentOf(row: SqlRow | undefined, now: number = this.now): Document | undefined {
    return row === undefined || isExpired(row, now) ? undefined : documentOf(row);
  }

  /** Returns the version of the document in a row; "" if there is no row or the document has expired. */
  versionOf(row: SqlRow | undefined, now: number = this.now): Version {
    return row === undefined || isExpired(row, now) ? "" : String(row["version"]);
  }

  /** Calls `rowsNow`, and makes `close` wait for it. */
  rows(keys: readonly Key[]): Promise<readonly (SqlRow | undefined)[]> {
    return this.#parts.connections.during(() => this.rowsNow(keys));
  }

  /** Reads documents in one snapshot and returns them in the order of the keys. */
  async find(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    const rows = await this.rows(keys);
    const { now } = this;
    return rows.map((row) => this.documentOf(row, now));
  }

  /** Writes everything or nothing; resolves with the version of the last written document. */
  commit(work: Omit<Commit, "now">): Promise<Version> {
    const { connections, indexes, clock, sent, notify } = this.#parts;
    return connections.during(async () => {
      await indexes.settled;
      const version = await commit({ connections, registries: indexes, notify }, { ...work, now: clock.now() });
      if (work.messages.length > 0) sent(work.messages.map(({ destination }) => destination));
      return version;
    });
  }

  /**
   * Deletes an expired document, even if its kind is no longer defined. Returns false if it was replaced or is damaged.
   */
  async deleteExpired(key: Key, version: Version): Promise<boolean> {
    const nothing = { document: undefined, expires: undefined };
    try {
      await this.write({ key, expects: "either", version, ...nothing });
      return true;
    } catch (error) {
      if (isPlatformError(error, "conflict") || isPlatformError(error, "data")) return false;
      throw error;
    }
  }

  protected write(write: SingleWrite): Promise<Version> {
    return this.commit({ writes: [write], reads: [], questions: [], messages: [], fence: undefined });
  }

  protected async ask<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const copy = copyOfArgs(args);
    if (name === "total") return this.snapshot((sql) => this.answerIn(sql, name, copy));
    const { connections, indexes } = this.#parts;
    return connections.during(async () => {
      await indexes.settled;
      return this.answerIn(this.#reading, name, copy);
    });
  }

  /** Runs each statement in a snapshot of its own. */
  get #reading(): Sql {
    const { connections } = this.#parts;
    return { rows: (text, values) => connections.runRepeatable(text, values) };
  }

  get #moment(): Moment {
    return { now: this.now, registry: this.#parts.indexes.current };
  }

  #asking(sql: Sql, moment: Moment): Asking {
    const { cursorKey, kinds } = this.#parts;
    const plan = (query: Omit<Query, "limit" | "after">): Plan =>
      kinds.first(query.kind, ["index", "query"], (kind) => planOnce(kind, query), this.#own);
    return { sql, ...moment, cursorKey, plan };
  }
}
