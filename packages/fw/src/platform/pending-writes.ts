import { transactionWrites } from "../lib/limits.ts";
import type { Document, Key, Version, WriteOptions } from "./contract.ts";
import type { Destination, OutgoingMessage } from "./messages.ts";
import { decodeFields } from "./document.ts";
import type { Encoded } from "./document.ts";
import { PlatformError } from "./errors.ts";
import type { Fields } from "./values.ts";

/** What a transaction will do to one document. */
export interface PendingWrite {
  readonly key: Key;
  /** Whether a document must be there, or must not be, when the transaction commits. */
  readonly expects: "present" | "absent" | "either";
  /** What is written; undefined deletes. */
  readonly document: Encoded | undefined;
  readonly expires: Date | undefined;
}

/** A write of one document by itself, over the version that it names where it names one. */
export interface SingleWrite extends PendingWrite {
  readonly version: Version | undefined;
}

/** A message that a transaction will send. */
export interface PendingMessage {
  readonly id: string;
  readonly destination: Destination;
  readonly message: OutgoingMessage;
}

/** Knows the kinds of documents that are written. */
export interface Encoder {
  /** Checks and encodes a document. */
  encode(key: Key, fields: Fields): Encoded;
  /** Fails with `document` where there is no kind of the name. */
  check(kind: string): void;
}

/** The writes of a transaction, each document in its last state, and its messages. */
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

  /** What is then pending for the document. */
  write(how: "insert" | "upsert" | "update", key: Key, fields: Fields, options: WriteOptions | undefined): Encoded {
    const before = this.#writes.get(writeName(key));
    if (before !== undefined) checkAgainst(before, how, key);
    const expects = before?.expects ?? (how === "insert" ? "absent" : how === "update" ? "present" : "either");
    const document = this.#encoder.encode(key, fields);
    this.take({ key: copy(key), expects, document, expires: options?.expires });
    return document;
  }

  /** A write that was checked. */
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

  /** Whether the transaction has written documents of the kind. */
  touches(kind: string): boolean {
    return this.all.some((write) => write.key.kind === kind);
  }

  has(key: Key): boolean {
    return this.#writes.has(writeName(key));
  }

  /** The document as the transaction has written it. */
  read(key: Key): Document | undefined {
    const write = this.#writes.get(writeName(key));
    if (write?.document === undefined) return undefined;
    const fields = decodeFields(write.document.body);
    return { id: key.id, version: "", fields, ...(write.expires !== undefined && { expires: write.expires }) };
  }

  /** A write or message that is refused is not pending. */
  #checkRoom(): void {
    if (this.#writes.size + this.#messages.length >= transactionWrites)
      throw new PlatformError("document", `a transaction writes at most ${transactionWrites} documents and messages`);
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

/** A document, as sentences name it. */
export function subjectOf({ kind, id }: Key): string {
  return `${kind} ${JSON.stringify(id)}`;
}

/** Why a write must not be made of a document that is so, or is not there; undefined where it may be. */
export function refusalOf(
  { key, expects, version }: PendingWrite & Partial<SingleWrite>,
  before: { readonly version?: Version | undefined } | undefined,
): PlatformError | undefined {
  if (expects === "absent" && before !== undefined) return existsError(key);
  if (expects === "present" && before === undefined) return missingError(key);
  return before !== undefined && version !== undefined && version !== before.version ? changedError(key) : undefined;
}

/** The failure of an insert. */
function existsError(key: Key): PlatformError {
  return new PlatformError("exists", `${subjectOf(key)} exists already`);
}

/** The failure of an update. */
function missingError(key: Key): PlatformError {
  return new PlatformError("missing", `there is no ${subjectOf(key)}`);
}

/** The failure of a write that names the version before it. */
function changedError(key: Key): PlatformError {
  const subject = subjectOf(key);
  return new PlatformError("conflict", `${subject} has changed since it was read`, subject);
}
