interface Bounds {
  readonly entries: number;
  /** The approximate limit of their total bytes. */
  readonly bytes: number;
}

/**
 * A list of the newest entries, numbered from 1. Limits their count and bytes, but holds up to twice as much between
 * two trims.
 */
export class BoundedList<Entry> {
  readonly #bounds: Bounds;
  readonly #bytesOf: (entry: Entry) => number;
  #entries: Entry[] = [];
  #sizes: number[] = [];
  #bytes = 0;
  /** The number of the oldest entry. */
  #first = 1;

  constructor(bounds: Bounds, bytesOf: (entry: Entry) => number) {
    this.#bounds = bounds;
    this.#bytesOf = bytesOf;
  }

  get last(): number {
    return this.#first + this.#entries.length - 1;
  }

  add(entry: Entry): void {
    const bytes = this.#bytesOf(entry);
    this.#entries.push(entry);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    // Trims in batches, so that adding an entry takes constant time on average.
    const { entries: most, bytes: mostBytes } = this.#bounds;
    if (this.#entries.length >= 2 * most || this.#bytes >= 2 * mostBytes) this.#forget();
  }

  /** Returns the retained entries after `number`; 0 returns all. */
  after(number: number): readonly Entry[] {
    // A number after the last entry is from an earlier process: start from the first entry.
    const from = number > this.last ? 0 : Math.max(0, number - this.#first + 1);
    return this.#entries.slice(Math.max(from, this.#entries.length - this.#bounds.entries));
  }

  findLast(matches: (entry: Entry) => boolean): Entry | undefined {
    return this.#entries.findLast(matches);
  }

  /** Drops the oldest entries until both limits are met, but never the newest entry. */
  #forget(): void {
    const { entries: most, bytes: mostBytes } = this.#bounds;
    const last = this.#entries.length - 1;
    let dropped = 0;
    while (dropped < last && (this.#entries.length - dropped > most || this.#bytes > mostBytes)) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.#first += dropped;
    this.#entries.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }
}
