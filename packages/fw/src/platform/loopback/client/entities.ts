import type {
  ConditionalOptions,
  Document,
  EntityStore,
  Key,
  Page,
  Query,
  Transaction,
  TransactionOptions,
  Version,
  WriteOptions,
} from "../../contract.ts";
import type { Fields } from "../../values.ts";
import { documentFromWire, pageFromWire } from "../protocol.ts";
import type { WireDocument, WirePage } from "../protocol.ts";
import type { Connection } from "./connection.ts";
import { encodeUnindexed } from "./encode-unindexed.ts";
import { LoopbackTransaction } from "./transaction.ts";

/** Documents that another process keeps. */
export class LoopbackEntities implements EntityStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async get({ kind, id }: Key): Promise<Document | undefined> {
    return documentFromWire(
      await this.#connection.read<WireDocument | undefined>("entities/get", { key: { kind, id } }),
    );
  }

  async getMany(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    const given = { keys: keys.map(({ kind, id }) => ({ kind, id })) };
    const found = await this.#connection.read<readonly (WireDocument | undefined)[]>("entities/getMany", given);
    return found.map(documentFromWire);
  }

  async insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#connection.write("entities/insert", written(key, fields, options));
  }

  async upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version> {
    return this.#connection.write("entities/upsert", written(key, fields, options));
  }

  async update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version> {
    const given = { ...written(key, fields, options), version: options?.version };
    return this.#connection.write("entities/update", given);
  }

  async delete({ kind, id }: Key, options?: ConditionalOptions): Promise<void> {
    await this.#connection.write("entities/delete", { key: { kind, id }, version: options?.version });
  }

  async query(query: Query): Promise<Page> {
    return pageFromWire(await this.#connection.read<WirePage>("entities/query", { query }));
  }

  async count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    return this.#connection.read("entities/count", { query, upTo });
  }

  async begin(options?: TransactionOptions): Promise<Transaction> {
    this.#connection.refuseIfClosed();
    return new LoopbackTransaction(this.#connection, options);
  }
}

function written({ kind, id }: Key, fields: Fields, options: WriteOptions | undefined): object {
  const { body } = encodeUnindexed({ kind, id }, fields);
  return { key: { kind, id }, fields: body, expires: options?.expires };
}
