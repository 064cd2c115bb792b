/** Returns the starting items and everything reachable from them, without duplicates. */
export function closure<T>(start: Iterable<T>, next: (thing: T) => Iterable<T>): Set<T> {
  const members = new Set<T>();
  const waiting = [...start];
  for (let thing = waiting.pop(); thing !== undefined; thing = waiting.pop()) {
    if (members.has(thing)) continue;
    members.add(thing);
    waiting.push(...next(thing));
  }
  return members;
}
