import { randomUUID } from "node:crypto";
import type { Document, Fence, Key, Page, Query, Total, Transaction, WriteOptions } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import { checkMessage } from "../message.ts";
import type { Destination, OutgoingMessage } from "../messages.ts";
import { PendingWrites } from "../pending-writes.ts";
import type { Encoder, PendingMessage, PendingWrite } from "../pending-writes.ts";
import { pageIdentity } from "../query-plan.ts";
import { totalIdentity } from "../total.ts";
import type { Fields } from "../values.ts";

/** What a transaction needs of the store. */
export interface TransactionStore {
  readonly encoder: Encoder;
  /** Changes with every write. */
  sequence(): number;
  get(key: Key): Document | undefined;
  query(query: Query): Page;
  count(query: Omit<Query, "limit" | "after">, upTo: number | undefined): number;
  total(query: Omit<Query, "limit" | "after">, property: string): Total;
  /** Writes everything or nothing, after the check has passed. */
  commit(commit: Commit): Promise<void>;
}

/** What a transaction commits. */
export interface Commit {
  /** Fails when something that was read has changed. */
  readonly check: () => void;
  readonly writes: readonly PendingWrite[];
  readonly messages: readonly PendingMessage[];
  readonly fence: Fence | undefined;
}

/** Something that was read, and what it was. */
interface Read {
  readonly subject: string;
  readonly result: string;
  again(): string;
}

/** Optimistic: remembers what it read, and looks again when something was written since. */
export class LocalTransaction implements Transaction {
  readonly #store: TransactionStore;
  readonly #fence: Fence | undefined;
  readonly #writes: PendingWrites;
  readonly #reads = new Map<string, Read>();
  #sequence: number;
  #ended = false;

  constructor(store: TransactionStore, fence: Fence | undefined) {
    this.#store = store;
    this.#fence = fence;
    this.#writes = new PendingWrites(store.encoder);
    this.#sequence = store.sequence();
  }

  async get(key: Key): Promise<Document | undefined> {
    this.#refuseIfEnded();
    if (this.#writes.has(key)) return this.#writes.read(key);
    return this.#read(
      `${key.kind} ${JSON.stringify(key.id)}`,
      () => this.#store.get(key),
      (d) => d?.version ?? "",
    );
  }

  async query(query: Query): Promise<Page> {
    this.#refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    return this.#read(`a query of ${query.kind}`, () => this.#store.query(fixed), pageIdentity, fixed);
  }

  async count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    this.#refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    return this.#read(`a count of ${query.kind}`, () => this.#store.count(fixed, upTo), String, { fixed, upTo });
  }

  async total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total> {
    this.#refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    const look = (): Total => this.#store.total(fixed, property);
    return this.#read(`a sum of ${query.kind}`, look, totalIdentity, { fixed, property });
  }

  insert(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#refuseIfEnded();
    this.#writes.write("insert", key, fields, options);
  }

  upsert(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#refuseIfEnded();
    this.#writes.write("upsert", key, fields, options);
  }

  update(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#refuseIfEnded();
    this.#writes.write("update", key, fields, options);
  }

  delete(key: Key): void {
    this.#refuseIfEnded();
    this.#writes.delete(key);
  }

  send(destination: Destination, message: OutgoingMessage, id: string = randomUUID()): string {
    this.#refuseIfEnded();
    checkMessage(message);
    this.#writes.send({ id, destination, message });
    return id;
  }

  async commit(): Promise<void> {
    this.#refuseIfEnded();
    this.#ended = true;
    const { all: writes, messages } = this.#writes;
    await this.#store.commit({ check: () => this.#checkReads(), writes, messages, fence: this.#fence });
  }

  async rollback(): Promise<void> {
    this.#ended = true;
  }

  /** Reads after it is sure that everything read before is still so: all reads together then see one state. */
  #read<T>(subject: string, look: () => T, identify: (result: T) => string, query?: unknown): T {
    this.#checkReads();
    const result = look();
    const name = query === undefined ? subject : `${subject} ${JSON.stringify(query, textOf)}`;
    this.#reads.set(name, { subject, result: identify(result), again: () => identify(look()) });
    return result;
  }

  #checkReads(): void {
    const sequence = this.#store.sequence();
    if (sequence === this.#sequence) return;
    for (const read of this.#reads.values()) if (read.again() !== read.result) this.#lose(read.subject);
    this.#sequence = sequence;
  }

  #lose(subject: string): never {
    this.#ended = true;
    throw new PlatformError("conflict", `${subject} has changed since the transaction read it`, subject);
  }

  #refuseAfterWrite(kind: string): void {
    this.#refuseIfEnded();
    if (this.#writes.touches(kind))
      throw new PlatformError("query", `the transaction has written to ${kind}; query it before the first write`);
  }

  #refuseIfEnded(): void {
    if (this.#ended) throw new PlatformError("closed", "the transaction has ended");
  }
}

function textOf(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
