import type { Database, Statement } from "./sqlite.ts";

/** Versions that are set aside with one write, so that a document's write need not write its version twice. */
const reserve = 1_000_000;

/** Gives out versions, each greater than all before it, over restarts too. */
export class Versions {
  readonly #save: Statement;
  #last: number;
  #reserved: number;

  constructor(database: Database) {
    this.#save = database.prepare("UPDATE numbers SET value = ? WHERE name = 'version'");
    this.#last = Number(database.prepare("SELECT value FROM numbers WHERE name = 'version'").get()?.[0]);
    this.#reserved = this.#last;
  }

  /** The version given out last; another one means that something was written. */
  get last(): number {
    return this.#last;
  }

  /** The next version; call it inside a transaction, with which the reservation is kept. */
  next(): number {
    if (this.#last >= this.#reserved) {
      this.#save.run(this.#last + reserve);
      this.#reserved = this.#last + reserve;
    }
    return ++this.#last;
  }

  /** After a rollback: what was reserved in it was not kept. */
  forgetReservation(): void {
    this.#reserved = this.#last;
  }
}
