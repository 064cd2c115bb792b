import { Lane } from "../lib/lane.ts";

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
