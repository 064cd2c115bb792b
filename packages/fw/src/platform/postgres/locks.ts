import { hash } from "node:crypto";
import type { Key } from "../contract.ts";

/**
 * The maximum number of documents that a commit locks individually. Beyond it, whole kinds are locked, which bounds the
 * size of the database's lock table.
 */
export const documentLocks = 64;

/** A lock that a statement takes, identified by a number. */
export interface LockCall {
  readonly lock: bigint;
  readonly isExclusive: boolean;
}

/** A cache of lock numbers by name, for locks that most commits take. */
const knownNumbers = new Map<string, bigint>();
const mostKnownNumbers = 1_000;

/**
 * A transaction's PostgreSQL advisory locks, which end with it. Lock numbers are hashes, so two names may share a
 * number, which only causes waits. Every transaction takes locks in numeric order, which prevents deadlocks.
 */
export class Locks {
  readonly #schema: string;
  /** By lock number: true if the lock is exclusive. */
  readonly #locks = new Map<bigint, boolean>();

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Takes a shared lock on a name, which conflicts only with exclusive ones. */
  shared(...name: readonly string[]): this {
    const lock = this.#numberOf(name);
    if (!this.#locks.has(lock)) this.#locks.set(lock, false);
    return this;
  }

  exclusive(...name: readonly string[]): this {
    this.#locks.set(this.#numberOf(name), true);
    return this;
  }

  /**
   * Locks documents, and locks their kinds against transactions that rely on a query. A commit with many documents
   * locks the kinds exclusively instead.
   */
  documents(written: readonly Key[], read: readonly Key[] = []): this {
    const isMany = written.length + read.length > documentLocks;
    for (const { kind } of [...written, ...read]) {
      if (isMany) this.exclusive("kind", kind);
      else this.shared("kind", kind);
    }
    if (isMany) return this;
    for (const { kind, id } of read) this.shared("document", kind, id);
    for (const { kind, id } of written) this.exclusive("document", kind, id);
    return this;
  }

  /** A SQL statement that takes the locks; "" if there are none. */
  get sql(): string {
    const calls = this.calls.map(
      ({ lock, isExclusive }) => `pg_advisory_xact_lock${isExclusive ? "" : "_shared"}(${lock})`,
    );
    return calls.length === 0 ? "" : `SELECT ${calls.join(", ")};`;
  }

  /** The locks in numeric order, which every transaction follows. */
  get calls(): readonly LockCall[] {
    return [...this.#locks]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([lock, isExclusive]) => ({ lock, isExclusive }));
  }

  #numberOf(name: readonly string[]): bigint {
    const text = JSON.stringify([this.#schema, ...name]);
    const existing = knownNumbers.get(text);
    if (existing !== undefined) return existing;
    const number = hash("sha256", text, "buffer").readBigInt64BE();
    // There are too many documents to cache the numbers of their names.
    if (name.length < 3 && knownNumbers.size < mostKnownNumbers) knownNumbers.set(text, number);
    return number;
  }
}
