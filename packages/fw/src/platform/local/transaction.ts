import { BaseTransaction, lostReadError } from "../base-transaction.ts";
import type { Document, Fence, Key, Page, Query, Total } from "../contract.ts";
import { subjectOf } from "../pending-writes.ts";
import type { Encoder, PendingMessage, PendingWrite } from "../pending-writes.ts";
import { pageIdentity } from "../query-plan.ts";
import { totalIdentity } from "../total.ts";

/** What a transaction needs of the store. */
export interface TransactionStore extends Encoder {
  /** Changes with every write. */
  readonly sequence: number;
  getNow(key: Key): Document | undefined;
  queryNow(query: Query): Page;
  countNow(query: Omit<Query, "limit" | "after">, upTo: number | undefined): number;
  totalNow(query: Omit<Query, "limit" | "after">, property: string): Total;
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
export class LocalTransaction extends BaseTransaction {
  readonly #store: TransactionStore;
  readonly #fence: Fence | undefined;
  readonly #reads = new Map<string, Read>();
  #sequence: number;

  constructor(store: TransactionStore, fence: Fence | undefined) {
    super(store);
    this.#store = store;
    this.#fence = fence;
    this.#sequence = store.sequence;
  }

  async query(query: Query): Promise<Page> {
    this.refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    return this.#read(`a query of ${query.kind}`, () => this.#store.queryNow(fixed), pageIdentity, fixed);
  }

  async count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    this.refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    return this.#read(`a count of ${query.kind}`, () => this.#store.countNow(fixed, upTo), String, { fixed, upTo });
  }

  async total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total> {
    this.refuseAfterWrite(query.kind);
    const fixed = structuredClone(query);
    const look = (): Total => this.#store.totalNow(fixed, property);
    return this.#read(`a sum of ${query.kind}`, look, totalIdentity, { fixed, property });
  }

  protected async find(key: Key): Promise<Document | undefined> {
    return this.#read(
      subjectOf(key),
      () => this.#store.getNow(key),
      (document) => document?.version ?? "",
    );
  }

  protected async carryOut(): Promise<void> {
    const { all: writes, messages } = this.pending;
    await this.#store.commit({ check: () => this.#checkReads(), writes, messages, fence: this.#fence });
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
    const sequence = this.#store.sequence;
    if (sequence === this.#sequence) return;
    for (const read of this.#reads.values()) if (read.again() !== read.result) this.#lose(read.subject);
    this.#sequence = sequence;
  }

  #lose(subject: string): never {
    this.end();
    throw lostReadError(subject);
  }
}

function textOf(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
