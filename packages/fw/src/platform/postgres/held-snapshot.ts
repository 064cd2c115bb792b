import type { Sql } from "./driver.ts";

/**
 * Milliseconds that a snapshot waits for its transaction's next read: enough for a round trip to another process. A
 * longer wait would block a pooler's connections for others.
 */
const heldMs = 20;

interface SnapshotConnection {
  readonly sql: Sql;
  /** Ends the transaction and returns the connection; rolls back after an error. */
  readonly release: (error: unknown) => Promise<void>;
}

/**
 * A database snapshot that stays open briefly between a transaction's reads. `moment` is the state outside of the
 * database that the reads depend on.
 */
export class HeldSnapshot<Moment> {
  readonly moment: Moment;
  readonly #connection: SnapshotConnection;
  readonly #waiting: Set<HeldSnapshot<unknown>>;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #isBusy = false;

  /** `waiting` contains the snapshots that no read is using. This snapshot joins and leaves it. */
  constructor(moment: Moment, connection: SnapshotConnection, waiting: Set<HeldSnapshot<unknown>>) {
    this.moment = moment;
    this.#connection = connection;
    this.#waiting = waiting;
    this.#wait();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs a read. Only one read may run at a time, and an error ends the snapshot. */
  async run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#stopWaiting();
    this.#isBusy = true;
    try {
      const result = await work(this.#connection.sql);
      this.#isBusy = false;
      if (this.#isOpen) this.#wait();
      else await this.#connection.release(undefined);
      return result;
    } catch (error) {
      if (this.#isBusy) {
        this.#isBusy = false;
        this.#isOpen = false;
        await this.#connection.release(error);
      }
      throw error;
    }
  }

  /** Ends the snapshot, after the read that is using it. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stopWaiting();
    if (!this.#isBusy) await this.#connection.release(undefined);
  }

  #wait(): void {
    this.#waiting.add(this);
    this.#timer = setTimeout(() => void this.end(), heldMs);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#waiting.delete(this);
  }
}
