import { BaseTransaction } from "../base-transaction.ts";
import type { Document, Fence, Key } from "../contract.ts";
import { subjectOf, type PendingMessage, type PendingWrite } from "../pending-writes.ts";
import {
  queryIdentity,
  resultIdentities,
  querySubject,
  type QueryResults,
  type QueryArgs,
  type QueryOperation,
} from "../query-operations.ts";
import type { LocalEntities } from "./entities.ts";

export interface Commit {
  /** Throws if anything that was read has changed. */
  readonly check: () => void;
  readonly writes: readonly PendingWrite[];
  readonly messages: readonly PendingMessage[];
  readonly fence: Fence | undefined;
}

interface Read {
  readonly subject: string;
  readonly result: string;
  again(): string;
}

/** An optimistic transaction: records its reads and repeats them if anything was written in the meantime. */
export class LocalTransaction extends BaseTransaction {
  readonly #store: LocalEntities;
  readonly #fence: Fence | undefined;
  readonly #reads = new Map<string, Read>();
  #sequence: number;

  constructor(store: LocalEntities, fence: Fence | undefined) {
    super(store);
    this.#store = store;
    this.#fence = fence;
    this.#sequence = store.sequence;
  }

  protected async answer<Name extends QueryOperation>(name: Name, given: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const subject = querySubject(name, given);
    return this.#read(subject, () => this.#store.now[name](...given), resultIdentities[name], given);
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
    // Read-only transactions need no check, because each read has confirmed the earlier ones.
    if (writes.length === 0 && messages.length === 0 && this.#fence === undefined) return;
    await this.#store.commit({ check: () => this.#checkReads(), writes, messages, fence: this.#fence });
  }

  /** Reads after confirming all earlier reads, so that all of them see the same state. */
  #read<T>(subject: string, look: () => T, identify: (result: T) => string, query?: unknown): T {
    this.#checkReads();
    const result = look();
    const name = query === undefined ? subject : queryIdentity(subject, query);
    this.#reads.set(name, { subject, result: identify(result), again: () => identify(look()) });
    return result;
  }

  #checkReads(): void {
    const sequence = this.#store.sequence;
    if (sequence === this.#sequence) return;
    for (const read of this.#reads.values()) if (read.again() !== read.result) this.lose(read.subject);
    this.#sequence = sequence;
  }
}
