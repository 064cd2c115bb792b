import { roughBytes } from "../../lib/rough-bytes.ts";
import { BoundedList } from "../bounded-list.ts";
import { StepTotals, type StepTotal } from "../recording/step-totals.ts";

/** Milliseconds of one period, whose totals are added up. */
const periodMs = 60_000;

/** The maximum number of periods, which cover two hours, and the approximate limit of their total bytes. */
const periodBounds = { entries: 120, bytes: 8_000_000 };

/** The maximum number of rows of a list. */
const listedShapes = 500;

/** The totals of a minute. */
interface Period {
  /** The minute's number since 1970. */
  readonly number: number;
  readonly totals: readonly StepTotal[];
}

/** The totals of queries and calls over the last two hours, bounded by bytes. */
export class StepHistory {
  readonly #periods = new BoundedList<Period>(periodBounds, roughBytes);
  #current = new StepTotals();
  #number = 0;

  /** Adds the totals since the previous call, which end at `now`, in milliseconds since 1970. */
  add(totals: readonly StepTotal[], now: number): void {
    const number = Math.floor(now / periodMs);
    if (number !== this.#number) {
      const ended = this.#current.take();
      if (ended.length > 0) this.#periods.add({ number: this.#number, totals: ended });
      this.#number = number;
    }
    this.#current.merge(totals);
  }

  /** Returns the totals of the minutes that end after `at`, longest total time first. */
  since(at: number): readonly StepTotal[] {
    const sums = new StepTotals(listedShapes);
    for (const { number, totals } of this.#periods.after(0)) if ((number + 1) * periodMs > at) sums.merge(totals);
    if ((this.#number + 1) * periodMs > at) sums.merge(this.#current.list());
    return sums.list();
  }
}
