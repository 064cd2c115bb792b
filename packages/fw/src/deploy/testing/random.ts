/** Generates pseudorandom numbers, the same ones for the same seed. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(most: number): number {
    return Math.floor(this.next() * most);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Picks each item with the probability `share`. */
  some<Item>(items: readonly Item[], share = 0.5): readonly Item[] {
    return items.filter(() => this.chance(share));
  }
}
