/** Lets so many at a time. */
export class Lane {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** How many are under way at the same time. */
const atOnce = 32;

/** Does the same for every item, some at a time, and answers in the order of the items. */
export function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const lane = new Lane(atOnce);
  return Promise.all(items.map((item) => lane.run(() => work(item))));
}
