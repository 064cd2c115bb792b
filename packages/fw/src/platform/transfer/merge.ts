/** The items of two lists with one key; at least one is present. */
export interface Pair<T> {
  readonly key: string;
  readonly source?: T;
  readonly target?: T;
}

/** Pairs the items of two lists, both sorted by the UTF-8 bytes of their keys. Holds one item of each in memory. */
export async function* pairsOf<T>(
  source: AsyncGenerator<T, void>,
  target: AsyncGenerator<T, void>,
  keyOf: (item: T) => string,
): AsyncGenerator<Pair<T>, void> {
  let [one, other] = await Promise.all([source.next(), target.next()]);
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : compareBytes(keyOf(one.value), keyOf(other.value));
    if (order <= 0 && !one.done) {
      const found = order === 0 && !other.done ? { target: other.value } : {};
      yield { key: keyOf(one.value), source: one.value, ...found };
    } else if (!other.done) yield { key: keyOf(other.value), target: other.value };
    [one, other] = await Promise.all([order <= 0 ? source.next() : one, order >= 0 ? target.next() : other]);
  }
}

function compareBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
