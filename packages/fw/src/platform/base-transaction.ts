import { randomUUID } from "node:crypto";
import type { Document, Key, Transaction, WriteOptions } from "./contract.ts";
import { PlatformError } from "./errors.ts";
import { checkMessage } from "./message.ts";
import type { Destination, OutgoingMessage } from "./messages.ts";
import { PendingWrites, type Encoder } from "./pending-writes.ts";
import { Asked, type Answers, type Given, type Question } from "./questions.ts";
import type { Fields } from "./values.ts";

/** A write or a message that a transaction was given. */
type StepName = "insert" | "upsert" | "update" | "delete" | "send";

/** What every transaction collects until its commit, and what it refuses; how it reads, and what its commit is, each platform says. */
export abstract class BaseTransaction extends Asked implements Transaction {
  protected readonly pending: PendingWrites;
  #ended = false;

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
    this.took("delete", [key]);
  }

  send(destination: Destination, message: OutgoingMessage, id: string = randomUUID()): string {
    this.refuseIfEnded();
    this.checkMessage(destination, message);
    this.pending.send({ id, destination, message });
    this.took("send", [destination, message, id]);
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

  /** As the question is now: what the caller changes later is not asked. */
  protected async ask<Name extends Question>(name: Name, given: Given[Name]): Promise<Answers[Name]> {
    const [{ kind }] = given;
    this.refuseIfEnded();
    if (this.pending.touches(kind))
      throw new PlatformError("query", `the transaction has written to ${kind}; query it before the first write`);
    return this.answer(name, structuredClone(given));
  }

  /** The answer to a question about documents of which the transaction has written none. */
  protected abstract answer<Name extends Question>(name: Name, given: Given[Name]): Promise<Answers[Name]>;

  /** A document that the transaction has not written. */
  protected abstract find(key: Key): Promise<Document | undefined>;

  /** Commits what is pending. */
  protected abstract carryOut(): Promise<void>;

  /** What else a rollback takes. */
  protected async giveUp(): Promise<void> {}

  /** Fails where the message is not one that can be sent there. */
  protected checkMessage(_destination: Destination, message: OutgoingMessage): void {
    checkMessage(message);
  }

  /** Told of each write and message, once it is pending. */
  protected took(_name: StepName, _given: readonly unknown[]): void {}

  protected end(): void {
    this.#ended = true;
  }

  protected refuseIfEnded(): void {
    if (this.#ended) throw new PlatformError("closed", "the transaction has ended");
  }

  #write(how: "insert" | "upsert" | "update", key: Key, fields: Fields, options?: WriteOptions): void {
    this.refuseIfEnded();
    this.pending.write(how, key, fields, options);
    this.took(how, [key, fields, options]);
  }
}

/** The failure of a transaction of which something that it read is no longer so. */
export function lostReadError(subject: string): PlatformError {
  return new PlatformError("conflict", `${subject} has changed since the transaction read it`, subject);
}
