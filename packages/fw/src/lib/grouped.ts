/** Things by their keys, in the order in which keys come first. */
export function grouped<Key, Thing>(things: Iterable<Thing>, keyOf: (thing: Thing) => Key): Map<Key, Thing[]> {
  const groups = new Map<Key, Thing[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [thing]);
    else known.push(thing);
  }
  return groups;
}
