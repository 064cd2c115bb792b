/** Things by what they have in common, each group in their order. */
export function grouped<Key, T>(things: Iterable<T>, keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) append(groups, keyOf(thing), thing);
  return groups;
}

/** The first of each key, in their order. */
export function distinct<T>(things: Iterable<T>, keyOf: (thing: T) => unknown): T[] {
  const firsts = new Map<unknown, T>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (!firsts.has(key)) firsts.set(key, thing);
  }
  return [...firsts.values()];
}

/** Adds a thing to its group, which may be the first of it. */
export function append<Key, T>(groups: Map<Key, T[]>, key: Key, thing: T): void {
  const known = groups.get(key);
  if (known) known.push(thing);
  else groups.set(key, [thing]);
}

/** Everything that is not the first of its key, with the one that is; what has no key is like nothing else. */
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
