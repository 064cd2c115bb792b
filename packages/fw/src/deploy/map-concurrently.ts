import { Lane } from "../lib/lane.ts";

const maxConcurrent = 32;

/** Processes items with limited concurrency and returns the results in order. */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const lane = new Lane(maxConcurrent);
  return Promise.all(items.map((item) => lane.run(() => work(item))));
}
