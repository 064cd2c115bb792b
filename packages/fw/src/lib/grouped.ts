/** Groups items by a key; groups and their items stay in order. */
export function grouped<Key, T>(things: Iterable<T>, keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) append(groups, keyOf(thing), thing);
  return groups;
}

/** Returns the first item with each key, in order. */
export function distinct<T>(things: Iterable<T>, keyOf: (thing: T) => unknown): T[] {
  const firsts = new Map<unknown, T>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (!firsts.has(key)) firsts.set(key, thing);
  }
  return [...firsts.values()];
}

/** Adds an item to a group, creating the group if needed. */
export function append<Key, T>(groups: Map<Key, T[]>, key: Key, thing: T): void {
  const known = groups.get(key);
  if (known) known.push(thing);
  else groups.set(key, [thing]);
}

/**
 * Yields each item whose key occurred before, with the first item of that key. Items without a key are never repeats.
 */
export function* repeats<T>(
  things: Iterable<T>,
  keyOf: (thing: T) => string | undefined,
): Iterable<{ readonly first: T; readonly again: T }> {
  const firsts = new Map<string, T>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (key === undefined) continue;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, thing);
    else yield { first, again: thing };
  }
}
