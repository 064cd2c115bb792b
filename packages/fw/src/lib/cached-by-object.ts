/** Returns a function that derives a value only once per immutable object, such as a parsed module. */
export function cachedByObject<K extends object, T>(derive: (key: K) => T): (key: K) => T {
  const facts = new WeakMap<K, { readonly fact: T }>();
  return (key) => {
    const cached = facts.get(key);
    if (cached !== undefined) return cached.fact;
    const fact = derive(key);
    facts.set(key, { fact });
    return fact;
  };
}
