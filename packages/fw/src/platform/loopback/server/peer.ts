import { randomUUID } from "node:crypto";
import { loopbackKept, loopbackTransactionMs } from "../../../lib/limits.ts";
import type { Clock, Transaction } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { StoredObject } from "../../objects.ts";

/** One process of a service: what it has begun and opened here is gone when its last connection is. */
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

  /** A transaction that is open; it fails with `conflict` where there is none any more, so that its work is done again. */
  transaction(id: string): Transaction {
    const kept = this.#transactions.get(id);
    if (kept !== undefined && kept.until > this.#clock.elapsed()) return kept.transaction;
    throw new PlatformError("conflict", "the transaction is over: it took too long, or the platform was started again");
  }

  /** The transaction for the last time. */
  takeTransaction(id: string): Transaction {
    const transaction = this.transaction(id);
    this.#transactions.delete(id);
    return transaction;
  }

  forgetTransaction(id: string): void {
    this.#transactions.delete(id);
  }

  /** A name by which the object can be read. */
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
      "the object is no longer open: the platform was started again; open it anew",
    );
  }

  forgetObject(handle: string): void {
    this.#objects.delete(handle);
  }

  /** Everything that was begun and opened is let go. */
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
