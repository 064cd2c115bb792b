import { randomUUID } from "node:crypto";
import { BaseTransaction, lostReadError } from "../../base-transaction.ts";
import type { Document, Fence, Key, Version } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { Destination, OutgoingMessage } from "../../messages.ts";
import { refusalOf, subjectOf, type PendingWrite } from "../../pending-writes.ts";
import {
  resultIdentities,
  querySubject,
  type QueryResults,
  type QueryArgs,
  type QueryOperation,
} from "../../query-operations.ts";
import type { PendingCalls } from "../../pending-calls.ts";
import { claimsOf, isGuarded, type Change } from "../../unique.ts";
import type { Fields } from "../../values.ts";
import { leaseKey, leaseOfStored } from "../leases.ts";
import { checkSendable } from "../messages/check-sendable.ts";
import { hasMessages } from "../../used-ports.ts";
import type { Outbox, OutgoingMessages } from "../outbox.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { refuseTaken } from "./claims.ts";
import { commitOnce } from "./commit.ts";
import { foreignIndexes, type ForeignIndexes, type IndexRegistry, type KnownIndexes } from "./index-registry.ts";
import { changedCodes } from "./commit-retry.ts";
import {
  onlyOver,
  platformError,
  type Datastore,
  type LookupResult,
  type Mutation,
  type Read,
  type ReadOptions,
} from "./datastore.ts";
import type { Reads } from "./reads.ts";
import { storedProperties, type EntityResult } from "./stored-document.ts";

export interface TransactionParts {
  readonly datastore: Datastore;
  readonly reads: Reads;
  readonly indexes: IndexRegistry;
  readonly outbox: Outbox;
  readonly underWay: PendingCalls;
}

/** Throws if there are messages, because the service's bundle lacks the code to send them. */
function withoutMessages({ length }: readonly unknown[]): OutgoingMessages {
  if (length > 0) throw new Error("a transaction sends messages, but this service was built without their code");
  return { mutations: [], post: async () => {} };
}

/** A document as read; its version is undefined if it did not exist. An expired document exists but is not live. */
interface DocumentRead {
  readonly key: Key;
  readonly version: string | undefined;
  readonly live: boolean;
  /** The content of a live document. */
  readonly fields: Fields | undefined;
}

/** A query, count or total: the identity of its result, and a function that repeats it. */
interface QueryRead {
  readonly subject: string;
  readonly result: string;
  readonly again: (options: ReadOptions) => Promise<string>;
}

/**
 * Reads one snapshot without locks while the application works (optimistic concurrency). If the transaction has read
 * only documents that it also writes, and nothing else needs a check, the commit is a single request with
 * compare-and-set on each version. Otherwise the commit repeats all reads in a short Datastore transaction before
 * writing.
 */
export class CloudTransaction extends BaseTransaction {
  readonly #parts: TransactionParts;
  readonly #fence: Fence | undefined;
  readonly #documents = new Map<string, DocumentRead>();
  readonly #queries: QueryRead[] = [];
  /** The time of the snapshot that all reads see; set by the first read. */
  #moment: string | undefined;
  #first: Promise<unknown> | undefined;
  #version = "";
  /** The indexes that the transaction's writes maintain; undefined if it stores no documents other than fw's own. */
  #indexes: KnownIndexes | undefined;

  constructor(parts: TransactionParts, fence: Fence | undefined) {
    super(parts.reads);
    this.#parts = parts;
    this.#fence = fence;
  }

  protected async answer<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const look = (options?: ReadOptions): Promise<Read<QueryResults[Name]>> =>
      this.#parts.reads.ask[name](args, options);
    const result = await this.#read(look);
    const again = async (options: ReadOptions): Promise<string> => resultIdentities[name]((await look(options)).result);
    this.#queries.push({ subject: querySubject(name, args), result: resultIdentities[name](result), again });
    return result;
  }

  protected async find(key: Key): Promise<Document | undefined> {
    const at = { kind: key.kind, id: key.id };
    const [entity] = await this.#read((options) => this.#parts.reads.lookUp([at], options));
    const document = this.#parts.reads.documentOf(entity);
    this.#documents.set(subjectOf(at), {
      key: at,
      version: entity?.version,
      live: document !== undefined,
      // Decoded a second time, because the application may modify its copy.
      fields: this.#parts.reads.documentOf(entity)?.fields,
    });
    return document;
  }

  protected override checkMessage(destination: Destination, message: OutgoingMessage): void {
    checkSendable(destination, message);
  }

  protected async carryOut(): Promise<void> {
    const { all, messages } = this.pending;
    // Read-only transactions saw one consistent snapshot and need no commit.
    if (all.length === 0 && messages.length === 0 && this.#fence === undefined) return;
    await this.#parts.underWay.during(async () => {
      const { outbox, indexes, reads } = this.#parts;
      const isIndexed = all.some(({ key, document }) => document !== undefined && !reads.kind(key.kind).framework);
      this.#indexes = isIndexed ? await indexes.current() : undefined;
      const outgoing = hasMessages ? outbox.keep(messages) : withoutMessages(messages);
      if (!this.#isDecidedByVersions() || !(await this.#commitByVersions(all, outgoing.mutations)))
        await this.#commitAfterReading(all, outgoing.mutations);
      await outgoing.post();
    });
  }

  /** The version of the first document written; "" until the commit. */
  get version(): Version {
    return this.#version;
  }

  take(write: PendingWrite): void {
    this.pending.take(write);
  }

  /** Whether compare-and-set on the versions of the written documents checks everything that the commit depends on. */
  #isDecidedByVersions(): boolean {
    if (this.#fence !== undefined || this.#queries.length > 0) return false;
    if ([...this.#documents.values()].some(({ key }) => !this.pending.has(key))) return false;
    if (this.#mayClaim()) return false;
    return this.pending.all.every(({ key, expects }) => expects !== "present" || this.#documents.has(subjectOf(key)));
  }

  /** Whether a write may claim a unique value, so that other documents must be read. */
  #mayClaim(): boolean {
    const { all } = this.pending;
    const guarded = all.filter(({ key, document }) => isGuarded(this.#parts.reads.kind(key.kind), document));
    return (
      guarded.length > 0 && claimsOf(this.#changes((key) => this.#documents.get(subjectOf(key))?.fields)).length > 0
    );
  }

  #changes(before: (key: Key) => Fields | undefined): Change[] {
    const { reads } = this.#parts;
    return this.pending.all.map(({ key, document }) => {
      return { kind: reads.kind(key.kind), key, before: before(key), after: document };
    });
  }

  /** Commits with compare-and-set. Returns false if further reads must decide whether the commit fails. */
  async #commitByVersions(writes: readonly PendingWrite[], messages: readonly Mutation[]): Promise<boolean> {
    const write = randomUUID();
    const mutations = writes.map((pending) => {
      const read = this.#documents.get(subjectOf(pending.key));
      if (read === undefined) return this.#mutation(pending, write, pending.expects === "absent" ? "insert" : "upsert");
      const refusal = refusalOf(pending, read.live ? read : undefined);
      if (refusal !== undefined) throw refusal;
      if (read.version !== undefined) return { ...this.#mutation(pending, write, "update"), ...onlyOver(read.version) };
      // Deleting a missing document has no effect, but it may have been created since. Only further reads can check
      // that.
      return pending.document === undefined ? undefined : this.#mutation(pending, write, "insert");
    });
    if (mutations.includes(undefined)) return false;
    try {
      const versions = await commitOnce(
        this.#parts.datastore,
        { mutations: [...(mutations as Mutation[]), ...messages] },
        write,
        this.#isWritable,
      );
      this.#version = versions[0] ?? "";
      return true;
    } catch (error) {
      if (!(error instanceof CloudError && changedCodes.includes(error.code)))
        throw platformError(error, this.#subject());
      if (error.code === "ALREADY_EXISTS") await this.#refuseExisting(writes);
      else if (error.code === "FAILED_PRECONDITION" && this.#documents.size === 1) throw lostReadError(this.#subject());
      return false;
    }
  }

  /** Throws a PlatformError `exists` if a document to insert already exists. Takes no locks. */
  async #refuseExisting(writes: readonly PendingWrite[]): Promise<void> {
    const { reads } = this.#parts;
    const inserts = writes.filter(({ key, expects }) => expects === "absent" && !this.#documents.has(subjectOf(key)));
    const { result } = await reads.lookUp(inserts.map(({ key }) => key));
    for (const [i, write] of inserts.entries()) {
      const refusal = refusalOf(write, reads.documentOf(result[i]));
      if (refusal !== undefined) throw refusal;
    }
  }

  /** Repeats all reads in a Datastore transaction, then writes if nothing has changed. */
  async #commitAfterReading(writes: readonly PendingWrite[], messages: readonly Mutation[]): Promise<void> {
    const { datastore } = this.#parts;
    const keys = this.#keysToCheck(writes);
    const fence = this.#fence && leaseKey(this.#fence.name);
    const locked = await this.#lock([...(fence ? [fence] : []), ...keys.values()]).catch((error: unknown) => {
      throw this.#lost(error);
    });
    const { transaction } = locked;
    const entities = fence ? locked.results.slice(1) : locked.results;
    const entitiesByName = new Map([...keys.keys()].map((name, i) => [name, entities[i]]));
    try {
      if (this.#fence !== undefined) leaseOfStored(this.#fence, locked.results[0], datastore.now());
      await this.#check(entitiesByName, writes, transaction);
    } catch (error) {
      await datastore.rollback(transaction);
      throw this.#lost(error);
    }
    await this.#commitChecked(writes, messages, transaction);
  }

  /** Returns the keys of read documents, and of documents whose writes depend on their stored state, by subject. */
  #keysToCheck(writes: readonly PendingWrite[]): ReadonlyMap<string, Key> {
    const { reads } = this.#parts;
    const keys = new Map<string, Key>();
    for (const { key } of this.#documents.values()) keys.set(subjectOf(key), key);
    for (const { key, expects, document } of writes)
      if (expects !== "either" || isGuarded(reads.kind(key.kind), document)) keys.set(subjectOf(key), key);
    return keys;
  }

  async #commitChecked(
    writes: readonly PendingWrite[],
    messages: readonly Mutation[],
    transaction: string,
  ): Promise<void> {
    const write = randomUUID();
    const mutations = [...writes.map((pending) => this.#mutation(pending, write, "upsert")), ...messages];
    try {
      const versions = await commitOnce(this.#parts.datastore, { mutations, transaction }, write, this.#isWritable);
      this.#version = versions[0] ?? "";
    } catch (error) {
      if (error instanceof CloudError && changedCodes.includes(error.code)) throw lostReadError(this.#subject());
      throw platformError(error, this.#subject());
    }
  }

  /** Starts a Datastore transaction that reads these documents. */
  async #lock(keys: readonly Key[]): Promise<Pick<LookupResult, "results" | "transaction">> {
    const { datastore } = this.#parts;
    // If a transaction starts with a lookup, Google's emulator holds its locks for a minute, even after it has ended.
    if (keys.length > 0 && !datastore.isEmulated) return datastore.lookup(keys, { newTransaction: { readWrite: {} } });
    const transaction = await datastore.begin();
    return keys.length === 0
      ? { results: [], transaction }
      : { ...(await datastore.lookup(keys, { transaction })), transaction };
  }

  /**
   * Checks that the reads are unchanged and that the conditions of the writes hold. Throws a PlatformError `conflict`,
   * `exists`, `missing` or `taken` otherwise.
   */
  async #check(
    entitiesByName: ReadonlyMap<string, EntityResult | undefined>,
    writes: readonly PendingWrite[],
    transaction: string,
  ): Promise<void> {
    for (const [subject, read] of this.#documents)
      if (entitiesByName.get(subject)?.version !== read.version) throw lostReadError(subject);
    for (const write of writes) {
      const result = entitiesByName.get(subjectOf(write.key));
      const refusal = refusalOf(write, this.#parts.reads.documentOf(result));
      if (refusal !== undefined) throw refusal;
    }
    for (const { subject, result, again } of this.#queries)
      if ((await again({ transaction })) !== result) throw lostReadError(subject);
    const claims = claimsOf(
      this.#changes((key) => this.#parts.reads.documentOf(entitiesByName.get(subjectOf(key)))?.fields),
    );
    await Promise.all(claims.map((claim) => refuseTaken(this.#parts.reads, claim, { transaction })));
  }

  #mutation({ key, document, expires }: PendingWrite, write: string, how: "insert" | "upsert" | "update"): Mutation {
    const { datastore } = this.#parts;
    const at = datastore.keyOf(key);
    if (document === undefined) return { delete: at };
    const foreign = this.#foreignIndexes(key);
    return { [how]: { key: at, properties: storedProperties(document, { expires, write, foreign }) } };
  }

  #foreignIndexes({ kind }: Key): ForeignIndexes {
    if (this.#indexes === undefined) return { properties: [], rules: [], unfit: [] };
    return foreignIndexes(this.#indexes, this.#parts.reads.kind(kind));
  }

  /** False once writes with these indexes may fail to maintain every index. */
  readonly #isWritable = (): boolean => this.#indexes === undefined || this.#parts.indexes.isWritable(this.#indexes);

  /** Runs a read in the snapshot of the first one. Reads that start during the first one wait for it. */
  async #read<T>(ask: (options: ReadOptions | undefined) => Promise<Read<T>>): Promise<T> {
    while (this.#moment === undefined && this.#first !== undefined) await this.#first;
    if (this.#moment !== undefined) return (await ask({ readTime: this.#moment })).result;
    const asking = ask(undefined);
    this.#first = asking.then(
      ({ readTime }) => void (this.#moment = readTime === "" ? undefined : readTime),
      () => undefined,
    );
    void this.#first.finally(() => (this.#first = undefined));
    return (await asking).result;
  }

  /** Converts a Datastore error to a platform error, and adds a subject to a conflict that has none. */
  #lost(error: unknown): unknown {
    if (error instanceof PlatformError && error.code === "conflict" && error.subject === undefined)
      return lostReadError(this.#subject());
    return platformError(error, this.#subject());
  }

  /** Returns the subject of a conflict with an unknown cause: the first document read or, without reads, written. */
  #subject(): string {
    const [read] = this.#documents.keys();
    const [firstWrite] = this.pending.all;
    return read ?? (firstWrite ? subjectOf(firstWrite.key) : "a lease");
  }
}
