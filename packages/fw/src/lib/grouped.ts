/** Groups items by key. Groups and their items keep their order. */
export function grouped<Key, T>(things: Iterable<T>, keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) append(groups, keyOf(thing), thing);
  return groups;
}

/** Returns the first item for each key, in order. */
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

/** Yields each item with a repeated key, and the first item with that key. Skips items without a key. */
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
