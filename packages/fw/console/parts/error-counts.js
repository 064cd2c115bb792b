import { errorText } from "./log-line.js";

/**
 * Counts errors in the log by text. Counts an event when it arrives and subtracts it when it is dropped, so that new
 * events need no pass over all events.
 */
export class ErrorCounts {
  /** Groups by text, each with its count and its newest event's time. */
  #groups = new Map();
  total = 0;

  add(event) {
    if (event.severity !== "ERROR") return;
    this.total += 1;
    const text = textOf(event);
    const group = this.#groups.get(text) ?? { text, count: 0 };
    this.#groups.set(text, Object.assign(group, { count: group.count + 1, lastAt: event.at }));
  }

  remove(event) {
    if (event.severity !== "ERROR") return;
    this.total -= 1;
    const group = this.#groups.get(textOf(event));
    group.count -= 1;
    if (group.count === 0) this.#groups.delete(group.text);
  }

  /** Returns the groups of more than one error, most frequent first, up to `limit`. */
  frequent(limit) {
    const repeated = [...this.#groups.values()].filter(({ count }) => count > 1);
    return repeated.toSorted((a, b) => b.count - a.count).slice(0, limit);
  }
}

function textOf(event) {
  return errorText(event) ?? event.message;
}
