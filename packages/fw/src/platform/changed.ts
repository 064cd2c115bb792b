/** The same port, transaction or platform with some methods exchanged. */
export function changed<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return (methods as Record<PropertyKey, unknown>)[name];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
