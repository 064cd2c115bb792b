import { randomUUID } from "node:crypto";
import type { Clock, Transaction } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { StoredObject } from "../../objects.ts";

/** Limit: milliseconds after which a transaction of another process times out. */
const loopbackTransactionMs = 270_000;

/**
 * Limit: transactions, and likewise open objects, that a platform holds for another process; beyond it, the oldest is
 * released.
 */
export const loopbackKept = 10_000;

/** One process of a service. Its transactions and opened objects are discarded when its last connection closes. */
export class Peer {
  readonly #clock: Clock;
  readonly #transactions = new Map<string, { readonly transaction: Transaction; readonly until: number }>();
  readonly #objects = new Map<string, StoredObject>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keepTransaction(id: string, transaction: Transaction): void {
    this.#endOld();
    this.#transactions.set(id, { transaction, until: this.#clock.elapsed() + loopbackTransactionMs });
  }

  /** Returns an open transaction; fails with `conflict` if it no longer exists, so that the caller reruns its work. */
  transaction(id: string): Transaction {
    const entry = this.#transactions.get(id);
    if (entry !== undefined && entry.until > this.#clock.elapsed()) return entry.transaction;
    throw new PlatformError("conflict", "the transaction has ended: it timed out, or the platform was restarted");
  }

  takeTransaction(id: string): Transaction {
    const transaction = this.transaction(id);
    this.#transactions.delete(id);
    return transaction;
  }

  forgetTransaction(id: string): void {
    this.#transactions.delete(id);
  }

  keepObject(object: StoredObject): string {
    const [oldest] = this.#objects.keys();
    if (this.#objects.size >= loopbackKept && oldest !== undefined) this.#objects.delete(oldest);
    const handle = randomUUID();
    this.#objects.set(handle, object);
    return handle;
  }

  object(handle: string): StoredObject {
    const object = this.#objects.get(handle);
    if (object !== undefined) return object;
    throw new PlatformError(
      "unreachable",
      "the object is no longer open because the platform was restarted; open it again",
    );
  }

  forgetObject(handle: string): void {
    this.#objects.delete(handle);
  }

  /** Discards all transactions and opened objects. */
  end(): void {
    this.#transactions.clear();
    this.#objects.clear();
  }

  #endOld(): void {
    const now = this.#clock.elapsed();
    for (const [id, { until }] of this.#transactions) {
      if (until > now && this.#transactions.size < loopbackKept) return;
      this.#transactions.delete(id);
    }
  }
}
