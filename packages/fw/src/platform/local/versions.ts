import type { Database, Statement } from "./sqlite.ts";

/** The number of versions to reserve at once, so that most writes of documents need not write the counter. */
const reservationSize = 1_000_000;

/** Assigns versions, each greater than all previous ones, even across restarts. */
export class Versions {
  readonly #save: Statement;
  #last: number;
  #reservedUpTo: number;

  constructor(database: Database) {
    this.#save = database.prepare("UPDATE numbers SET value = ? WHERE name = 'version'");
    this.#last = Number(database.prepare("SELECT value FROM numbers WHERE name = 'version'").get()?.[0]);
    this.#reservedUpTo = this.#last;
  }

  /** The last assigned version. It changes with every write of a document. */
  get last(): number {
    return this.#last;
  }

  /** Returns the next version. Call it inside a transaction, which also stores the reservation. */
  next(): number {
    if (this.#last >= this.#reservedUpTo) {
      this.#save.run(this.#last + reservationSize);
      this.#reservedUpTo = this.#last + reservationSize;
    }
    return ++this.#last;
  }

  /** Forgets the reservation, which a rollback has undone too. */
  forgetReservation(): void {
    this.#reservedUpTo = this.#last;
  }
}
