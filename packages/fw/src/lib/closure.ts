/** Some things and everything that they lead to, each once. */
export function closure<T>(start: Iterable<T>, next: (thing: T) => Iterable<T>): Set<T> {
  const reached = new Set<T>();
  const waiting = [...start];
  for (let thing = waiting.pop(); thing !== undefined; thing = waiting.pop()) {
    if (reached.has(thing)) continue;
    reached.add(thing);
    waiting.push(...next(thing));
  }
  return reached;
}
