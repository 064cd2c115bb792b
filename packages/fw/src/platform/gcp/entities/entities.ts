import { randomUUID } from "node:crypto";
import { pageDocuments } from "../../../lib/limits.ts";
import type {
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
} from "../../contract.ts";
import { encodeDocument, isStorableId } from "../../document.ts";
import { closedError, PlatformError } from "../../errors.ts";
import { changedError, existsError, missingError, subjectOf } from "../../pending-writes.ts";
import { transact } from "../../transact.ts";
import type { Fields } from "../../values.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { commitOnce } from "./commit.ts";
import { onlyOver, platformError, type Datastore, type Mutation } from "./datastore.ts";
import type { Properties } from "./datastore-values.ts";
import type { Reads } from "./reads.ts";
import { isExpired, storedProperties, type EntityResult } from "./stored-document.ts";
import { CloudTransaction, type TransactionParts } from "./transaction.ts";

/** Times that a write looks again at a document that others write. */
const looks = 10;

/** A document that is about to be written. */
interface Writing {
  readonly key: Key;
  readonly properties: Properties;
  readonly write: string;
}

/** Documents in Firestore in Datastore mode. */
export class CloudEntities implements EntityStore {
  readonly #datastore: Datastore;
  readonly #reads: Reads;
  readonly #parts: TransactionParts;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(parts: Omit<TransactionParts, "during">) {
    this.#datastore = parts.datastore;
    this.#reads = parts.reads;
    this.#parts = { ...parts, during: (work) => this.#during(work) };
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  get(key: Key): Promise<Document | undefined> {
    return this.#during(async () => {
      const { result } = await this.#reads.stored([key]);
      return this.#reads.documentOf(result[0]);
    });
  }

  getMany(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    return this.#during(async () => {
      if (keys.length > pageDocuments) throw new PlatformError("query", `one read takes at most ${pageDocuments} keys`);
      const { result } = await this.#reads.stored(keys);
      return result.map((stored) => this.#reads.documentOf(stored));
    });
  }

  insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    if (this.#isGuarded(key)) return this.#transact(async (tx) => tx.insert(key, fields, options));
    const writing = this.#prepare(key, fields, options);
    return this.#during(async () => {
      const { key: at, properties } = await writing;
      for (let look = 0; look < looks; look++) {
        const inserted = await this.#commit(await writing, { insert: this.#entity(at, properties) });
        if (inserted !== "exists") return this.#written(at, inserted);
        const stored = await this.#look(at);
        if (stored === undefined) continue;
        if (!isExpired(stored, this.#datastore.now())) throw existsError(at);
        const replaced = await this.#commit(await writing, {
          update: this.#entity(at, properties),
          ...onlyOver(stored.version),
        });
        if (isVersion(replaced)) return replaced.version;
      }
      throw changedError(at);
    });
  }

  upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    if (this.#isGuarded(key)) return this.#transact(async (tx) => tx.upsert(key, fields, options));
    const writing = this.#prepare(key, fields, options);
    return this.#during(async () => {
      const { key: at, properties } = await writing;
      return this.#written(at, await this.#commit(await writing, { upsert: this.#entity(at, properties) }));
    });
  }

  update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version> {
    if (this.#isGuarded(key)) {
      return this.#transact(async (tx) => {
        const before = await tx.get(key);
        if (before === undefined) throw missingError(key);
        if (options?.version !== undefined && options.version !== before.version) throw changedError(key);
        tx.update(key, fields, options);
      });
    }
    const writing = this.#prepare(key, fields, options);
    return this.#during(async () => {
      const { key: at, properties } = await writing;
      for (let look = 0; look < looks; look++) {
        const stored = await this.#look(at);
        if (stored === undefined || isExpired(stored, this.#datastore.now())) throw missingError(at);
        checkVersion(at, stored, options?.version);
        const update = { update: this.#entity(at, properties), ...onlyOver(stored.version) };
        const updated = await this.#commit(await writing, update);
        if (isVersion(updated)) return updated.version;
      }
      throw changedError(at);
    });
  }

  delete(key: Key, options?: ConditionalOptions): Promise<void> {
    const at = { kind: key.kind, id: key.id };
    return this.#during(async () => {
      this.#reads.kind(at.kind);
      if (!isStorableId(at.id)) return;
      const witness = { key: at, write: undefined };
      for (let look = 0; look < looks; look++) {
        const stored = options?.version === undefined ? undefined : await this.#look(at);
        if (options?.version !== undefined && stored === undefined) return;
        if (stored !== undefined && !isExpired(stored, this.#datastore.now()))
          checkVersion(at, stored, options?.version);
        const mutation = { delete: this.#datastore.keyOf(at), ...(stored && onlyOver(stored.version)) };
        const deleted = await outcomeOf(at, commitOnce(this.#datastore, { mutations: [mutation] }, witness));
        if (isVersion(deleted)) return;
      }
      throw changedError(at);
    });
  }

  query(query: Query): Promise<Page> {
    return this.#during(async () => (await this.#reads.query(query)).result);
  }

  count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    return this.#during(async () => (await this.#reads.count(query, upTo)).result);
  }

  total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total> {
    return this.#during(async () => (await this.#reads.total(query, property)).result);
  }

  async begin(options?: TransactionOptions): Promise<CloudTransaction> {
    this.#refuseIfClosed();
    return new CloudTransaction(this.#parts, options?.fence);
  }

  /** Whether a write of the kind has to be judged beside others'. */
  #isGuarded({ kind }: Key): boolean {
    return this.#reads.kind(kind).unique.length > 0;
  }

  /** Makes one write in a transaction; resolves with its version. */
  async #transact(write: (transaction: CloudTransaction) => Promise<void>): Promise<Version> {
    let made: CloudTransaction | undefined;
    const begin = async (): Promise<Transaction> => (made = await this.begin());
    const platform = { entities: { begin }, clock: this.#datastore.clock };
    await transact(platform, () => write(made as CloudTransaction));
    return made?.version ?? "";
  }

  /** Encodes at once: what the caller changes later is not written. */
  async #prepare(key: Key, fields: Fields, options: WriteOptions | undefined): Promise<Writing> {
    const kind = this.#reads.kind(key.kind);
    const { indexed, body } = encodeDocument(kind, key, fields);
    const write = randomUUID();
    const properties = storedProperties({ kind, fields, indexed, body, expires: options?.expires, write });
    return { key: { kind: key.kind, id: key.id }, properties, write };
  }

  #entity(key: Key, properties: Properties): { key: ReturnType<Datastore["keyOf"]>; properties: Properties } {
    return { key: this.#datastore.keyOf(key), properties };
  }

  #commit({ key, write }: Writing, mutation: Mutation): Promise<Outcome> {
    return outcomeOf(key, commitOnce(this.#datastore, { mutations: [mutation] }, { key, write }));
  }

  async #look(key: Key): Promise<EntityResult | undefined> {
    return (await this.#reads.stored([key])).result[0];
  }

  #written(key: Key, outcome: Outcome): Version {
    if (isVersion(outcome)) return outcome.version;
    throw changedError(key);
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseIfClosed();
    const working = work();
    this.#underWay.add(working);
    try {
      return await working;
    } finally {
      this.#underWay.delete(working);
    }
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }
}

/** The version that was written, or what was in the way of it. */
type Outcome = { readonly version: string } | "exists" | "missing" | "changed";

async function outcomeOf(key: Key, committing: Promise<readonly string[]>): Promise<Outcome> {
  try {
    return { version: (await committing)[0] ?? "" };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.code === "ALREADY_EXISTS") return "exists";
    if (error.code === "NOT_FOUND") return "missing";
    if (error.code === "FAILED_PRECONDITION" || error.code === "ABORTED") return "changed";
    throw platformError(error, subjectOf(key));
  }
}

function isVersion(outcome: Outcome): outcome is { readonly version: string } {
  return typeof outcome === "object";
}

/** The write is made over this version of the document, or not at all. */
function checkVersion(key: Key, stored: EntityResult, version: Version | undefined): void {
  if (version !== undefined && version !== stored.version) throw changedError(key);
}
