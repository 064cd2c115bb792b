import type { Document, Key, Version, WriteOptions } from "./contract.ts";
import type { Destination, OutgoingMessage } from "./messages.ts";
import { decodeFields, type EncodedDocument } from "./document.ts";
import { PlatformError } from "./errors.ts";
import type { Fields } from "./values.ts";

/**
 * Limit: documents and messages that one transaction writes. Datastore allows 500, including fw's proof of the commit.
 */
const transactionWrites = 499;

export interface PendingWrite {
  readonly key: Key;
  /** The required state of the document when the transaction commits. */
  readonly expects: "present" | "absent" | "either";
  /** The new content; undefined deletes the document. */
  readonly document: EncodedDocument | undefined;
  readonly expires: Date | undefined;
}

/** A write outside of a transaction. With a version, it is a compare-and-set. */
export interface SingleWrite extends PendingWrite {
  readonly version: Version | undefined;
}

export interface PendingMessage {
  readonly id: string;
  readonly destination: Destination;
  readonly message: OutgoingMessage;
}

/** Validates documents of any kind and encodes them. */
export interface Encoder {
  encode(key: Key, fields: Fields): EncodedDocument;
  /** Checks that a kind is defined. Otherwise throws a PlatformError `document`. */
  check(kind: string): void;
}

/** A transaction's writes, one for each document, and its messages. */
export class PendingWrites {
  readonly #encoder: Encoder;
  readonly #writes = new Map<string, PendingWrite>();
  readonly #messages: PendingMessage[] = [];

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  get all(): readonly PendingWrite[] {
    return [...this.#writes.values()];
  }

  get messages(): readonly PendingMessage[] {
    return this.#messages;
  }

  /** Adds a write and returns the encoded document. */
  write(
    how: "insert" | "upsert" | "update",
    key: Key,
    fields: Fields,
    options: WriteOptions | undefined,
  ): EncodedDocument {
    const before = this.#writes.get(writeName(key));
    if (before !== undefined) checkAgainst(before, how, key);
    const expects = before?.expects ?? (how === "insert" ? "absent" : how === "update" ? "present" : "either");
    const document = this.#encoder.encode(key, fields);
    this.take({ key: copy(key), expects, document, expires: options?.expires });
    return document;
  }

  take(write: PendingWrite): void {
    if (!this.has(write.key)) this.#checkRoom();
    this.#writes.set(writeName(write.key), write);
  }

  delete(key: Key): void {
    this.#encoder.check(key.kind);
    const expects = this.#writes.get(writeName(key))?.expects ?? "either";
    this.take({ key: copy(key), expects, document: undefined, expires: undefined });
  }

  send({ id, destination, message }: PendingMessage): void {
    this.#checkRoom();
    this.#messages.push({ id, destination: { ...destination }, message: { ...message } });
  }

  touches(kind: string): boolean {
    return this.all.some((write) => write.key.kind === kind);
  }

  has(key: Key): boolean {
    return this.#writes.has(writeName(key));
  }

  read(key: Key): Document | undefined {
    const write = this.#writes.get(writeName(key));
    if (write?.document === undefined) return undefined;
    const fields = decodeFields(write.document.body);
    return { id: key.id, version: "", fields, ...(write.expires !== undefined && { expires: write.expires }) };
  }

  /** Throws if the transaction is full. Runs before anything is added, so that a rejected call leaves no trace. */
  #checkRoom(): void {
    if (this.#writes.size + this.#messages.length >= transactionWrites)
      throw new PlatformError("full", `a transaction can write at most ${transactionWrites} documents and messages`);
  }
}

function checkAgainst(before: PendingWrite, how: string, key: Key): void {
  if (how === "insert" && before.document !== undefined) throw existsError(key);
  if (how === "update" && before.document === undefined) throw missingError(key);
}

function writeName({ kind, id }: Key): string {
  return JSON.stringify([kind, id]);
}

function copy({ kind, id }: Key): Key {
  return { kind, id };
}

export function subjectOf({ kind, id }: Key): string {
  return `${kind} ${JSON.stringify(id)}`;
}

/** Returns why the write must not replace the document's current state; undefined if it may. */
export function refusalOf(
  { key, expects, version }: PendingWrite & Partial<SingleWrite>,
  before: { readonly version?: Version | undefined } | undefined,
): PlatformError | undefined {
  if (expects === "absent" && before !== undefined) return existsError(key);
  if (expects === "present" && before === undefined) return missingError(key);
  return before !== undefined && version !== undefined && version !== before.version ? changedError(key) : undefined;
}

function existsError(key: Key): PlatformError {
  return new PlatformError("exists", `${subjectOf(key)} already exists`);
}

function missingError(key: Key): PlatformError {
  return new PlatformError("missing", `there is no ${subjectOf(key)}`);
}

function changedError(key: Key): PlatformError {
  const subject = subjectOf(key);
  return new PlatformError("conflict", `${subject} has changed since it was read`, subject);
}
