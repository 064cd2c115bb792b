import { randomUUID } from "node:crypto";
import type { Document, Key, Page, Query, Transaction, TransactionOptions, WriteOptions } from "../../contract.ts";
import { isPlatformError, PlatformError } from "../../errors.ts";
import { checkMessage } from "../../message.ts";
import type { Destination, OutgoingMessage } from "../../messages.ts";
import { PendingWrites } from "../../pending-writes.ts";
import type { Fields } from "../../values.ts";
import { documentFromWire, pageFromWire } from "../protocol.ts";
import type { WireDocument, WirePage } from "../protocol.ts";
import type { Connection } from "./connection.ts";
import { encodeUnindexed } from "./encode-unindexed.ts";

/** A write as it goes with the commit. */
interface Written {
  readonly how: "insert" | "upsert" | "update" | "delete";
  readonly key: Key;
  readonly fields?: string;
  readonly expires?: Date;
}

/** Begins elsewhere with its first read; its writes go there with the commit. */
export class LoopbackTransaction implements Transaction {
  readonly #connection: Connection;
  readonly #options: TransactionOptions;
  readonly #id = randomUUID();
  readonly #pending = new PendingWrites({ encode: encodeUnindexed, check: () => {} });
  readonly #writes: Written[] = [];
  /** The first read under way, which the others wait for. */
  #beginning: Promise<void> | undefined;
  #begun = false;
  #ended = false;

  constructor(connection: Connection, { fence }: TransactionOptions = {}) {
    this.#connection = connection;
    this.#options = fence === undefined ? {} : { fence: { name: fence.name, token: fence.token } };
  }

  async get({ kind, id }: Key): Promise<Document | undefined> {
    this.#refuseIfEnded();
    const key = { kind, id };
    if (this.#pending.has(key)) return this.#pending.read(key);
    return documentFromWire(await this.#read<WireDocument | undefined>("transactions/get", { key }));
  }

  async query(query: Query): Promise<Page> {
    this.#refuseAfterWrite(query.kind);
    return pageFromWire(await this.#read<WirePage>("transactions/query", { query }));
  }

  async count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number> {
    this.#refuseAfterWrite(query.kind);
    return this.#read<number>("transactions/count", { query, upTo });
  }

  insert(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#write("insert", key, fields, options);
  }

  upsert(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#write("upsert", key, fields, options);
  }

  update(key: Key, fields: Fields, options?: WriteOptions): void {
    this.#write("update", key, fields, options);
  }

  delete({ kind, id }: Key): void {
    this.#refuseIfEnded();
    this.#pending.delete({ kind, id });
    this.#writes.push({ how: "delete", key: { kind, id } });
  }

  send(destination: Destination, message: OutgoingMessage): string {
    this.#refuseIfEnded();
    checkMessage(message);
    const id = randomUUID();
    this.#pending.send({ id, destination, message });
    return id;
  }

  async commit(): Promise<void> {
    this.#refuseIfEnded();
    this.#ended = true;
    const messages = this.#pending.messages.map(({ id, destination, message }) => ({ id, destination, ...message }));
    const id = this.#begun ? this.#id : undefined;
    await this.#connection.write("transactions/commit", { id, ...this.#options, writes: this.#writes, messages });
  }

  async rollback(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // What cannot be told is over in a while by itself.
    if (this.#begun) await this.#connection.write("transactions/rollback", { id: this.#id }).catch(() => {});
  }

  #write(how: "insert" | "upsert" | "update", { kind, id }: Key, fields: Fields, options?: WriteOptions): void {
    this.#refuseIfEnded();
    const key = { kind, id };
    const { body } = this.#pending.write(how, key, fields, options);
    this.#writes.push({ how, key, fields: body, ...(options?.expires && { expires: options.expires }) });
  }

  async #read<T>(operation: string, given: object): Promise<T> {
    const fixed = structuredClone(given);
    while (this.#beginning !== undefined) await this.#beginning;
    this.#refuseIfEnded();
    const reading = this.#ask<T>(operation, fixed);
    if (this.#begun) return reading;
    const answered = (begun: boolean): void => {
      this.#begun = begun;
      this.#beginning = undefined;
    };
    this.#beginning = reading.then(
      () => answered(true),
      () => answered(false),
    );
    return reading;
  }

  async #ask<T>(operation: string, given: object): Promise<T> {
    try {
      const begin = this.#begun ? { begin: false } : { begin: true, ...this.#options };
      return await this.#connection.read<T>(operation, { id: this.#id, ...begin, ...given });
    } catch (error) {
      if (isPlatformError(error, "conflict")) this.#ended = true;
      throw error;
    }
  }

  #refuseAfterWrite(kind: string): void {
    this.#refuseIfEnded();
    if (this.#pending.touches(kind))
      throw new PlatformError("query", `the transaction has written to ${kind}; query it before the first write`);
  }

  #refuseIfEnded(): void {
    if (this.#ended) throw new PlatformError("closed", "the transaction has ended");
  }
}
