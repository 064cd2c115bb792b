import { randomUUID } from "node:crypto";
import type { Document, Key, Transaction, TransactionQuery, WriteOptions } from "./contract.ts";
import { PlatformError } from "./errors.ts";
import { checkMessage } from "./message.ts";
import type { Destination, OutgoingMessage } from "./messages.ts";
import { PendingWrites, type Encoder } from "./pending-writes.ts";
import { Queryable, type QueryResults, type QueryArgs, type QueryOperation } from "./query-operations.ts";
import type { Fields } from "./values.ts";

/** The methods that record a write or a message. */
type TransactionStep = "insert" | "upsert" | "update" | "delete" | "send";

/**
 * Validates a transaction's calls and collects its writes until the commit. Platforms implement reads and the commit.
 */
export abstract class BaseTransaction extends Queryable implements Transaction {
  protected readonly pending: PendingWrites;
  #ended = false;
  /** The conflict that ended the transaction, if any. */
  #conflict: PlatformError | undefined;

  constructor(encoder: Encoder) {
    super();
    this.pending = new PendingWrites(encoder);
  }

  async get(key: Key): Promise<Document | undefined> {
    this.refuseIfEnded();
    return this.pending.has(key) ? this.pending.read(key) : this.find(key);
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

  delete(key: Key): void {
    this.refuseIfEnded();
    this.pending.delete(key);
    this.onStep("delete", [key]);
  }

  send(destination: Destination, message: OutgoingMessage, id: string = randomUUID()): string {
    this.refuseIfEnded();
    this.checkMessage(destination, message);
    this.pending.send({ id, destination, message });
    this.onStep("send", [destination, message, id]);
    return id;
  }

  async commit(): Promise<void> {
    this.refuseIfEnded();
    this.end();
    await this.carryOut();
  }

  async rollback(): Promise<void> {
    if (this.#ended) return;
    this.end();
    await this.giveUp();
  }

  /**
   * Answers a query. Throws a PlatformError `query` if the transaction has written to its kind, unless the query
   * ignores writes. Copies the arguments, so that later changes by the caller have no effect.
   */
  protected async ask<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const [{ kind, ignoresWrites }] = args as [TransactionQuery];
    this.refuseIfEnded();
    if (!ignoresWrites && this.pending.touches(kind))
      throw new PlatformError("query", `the transaction has written to ${kind}; query it before the first write`);
    return this.answer(name, structuredClone(args));
  }

  /** Answers a query from the store, without the transaction's own writes. */
  protected abstract answer<Name extends QueryOperation>(
    name: Name,
    args: QueryArgs[Name],
  ): Promise<QueryResults[Name]>;

  /** Reads a document that the transaction has not written. */
  protected abstract find(key: Key): Promise<Document | undefined>;

  protected abstract carryOut(): Promise<void>;

  /** Releases what the platform holds for the transaction. */
  protected async giveUp(): Promise<void> {}

  /** Throws a PlatformError if the message cannot be sent to the destination. */
  protected checkMessage(_destination: Destination, message: OutgoingMessage): void {
    checkMessage(message);
  }

  /** Called for each write and message once it is pending. */
  protected onStep(_name: TransactionStep, _args: readonly unknown[]): void {}

  protected get hasEnded(): boolean {
    return this.#ended;
  }

  protected end(): void {
    this.#ended = true;
  }

  /** Ends the transaction and throws a conflict, because its reads are stale. */
  protected lose(subject: string): never {
    this.end();
    this.#conflict = lostReadError(subject);
    throw this.#conflict;
  }

  /**
   * Throws if the transaction has ended. After a conflict, throws that conflict each time, so that the caller cannot
   * miss it.
   */
  protected refuseIfEnded(): void {
    if (this.#conflict !== undefined) throw this.#conflict;
    if (this.#ended) throw new PlatformError("closed", "the transaction has ended");
  }

  #write(how: "insert" | "upsert" | "update", key: Key, fields: Fields, options?: WriteOptions): void {
    this.refuseIfEnded();
    this.pending.write(how, key, fields, options);
    this.onStep(how, [key, fields, options]);
  }
}

/** Creates the error for a transaction whose reads are stale. */
export function lostReadError(subject: string): PlatformError {
  return new PlatformError("conflict", `${subject} has changed since the transaction read it`, subject);
}
