import { BaseTransaction, lostReadError } from "../base-transaction.ts";
import type { Document, Fence, Key } from "../contract.ts";
import { subjectOf, type PendingMessage, type PendingWrite } from "../pending-writes.ts";
import {
  resultIdentities,
  querySubject,
  type QueryResults,
  type QueryArgs,
  type QueryOperation,
} from "../query-operations.ts";
import type { LocalEntities } from "./entities.ts";

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
