import { pageDocuments } from "../lib/limits.ts";
import type {
  ConditionalOptions,
  Document,
  EntityStore,
  Key,
  Transaction,
  TransactionOptions,
  Version,
  WriteOptions,
} from "./contract.ts";
import type { EncodedDocument } from "./document.ts";
import { PlatformError } from "./errors.ts";
import type { Encoder, SingleWrite } from "./pending-writes.ts";
import { Queryable } from "./query-operations.ts";
import type { Fields } from "./values.ts";

/**
 * Implements reads and single writes of documents by key with two methods that each platform supplies, `find` and
 * `write`.
 */
export abstract class BaseEntities extends Queryable implements EntityStore, Encoder {
  abstract begin(options?: TransactionOptions): Promise<Transaction>;
  abstract encode(key: Key, fields: Fields): EncodedDocument;
  abstract check(kind: string): void;

  async get(key: Key): Promise<Document | undefined> {
    const [document] = await this.find([key]);
    return document;
  }

  async getMany(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    if (keys.length > pageDocuments) throw new PlatformError("query", `one read takes at most ${pageDocuments} keys`);
    return this.find(keys);
  }

  async insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#write("absent", key, fields, options);
  }

  async upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#write("either", key, fields, options);
  }

  async update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version> {
    return this.#write("present", key, fields, options);
  }

  async delete({ kind, id }: Key, options?: ConditionalOptions): Promise<void> {
    this.check(kind);
    const nothing = { document: undefined, expires: undefined };
    await this.write({ key: { kind, id }, expects: "either", version: options?.version, ...nothing });
  }

  protected abstract find(keys: readonly Key[]): Promise<(Document | undefined)[]>;

  /** Makes a single write and resolves with the new version. */
  protected abstract write(write: SingleWrite): Promise<Version>;

  /** Writes a document. Encodes its fields synchronously, so that later changes by the caller have no effect. */
  #write(
    expects: SingleWrite["expects"],
    { kind, id }: Key,
    fields: Fields,
    { expires, version }: WriteOptions & ConditionalOptions = {},
  ): Promise<Version> {
    const document = this.encode({ kind, id }, fields);
    return this.write({ key: { kind, id }, expects, document, expires, version });
  }
}
