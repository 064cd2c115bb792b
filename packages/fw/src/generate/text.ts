/** Formats a string as JavaScript source. */
export function text(value: string): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** Formats a property name in an object literal. */
export function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return identifier.test(name) ? name : text(name);
}

/** Formats the access to an own property of `object`, for example to assign it. */
export function property(object: string, name: string): string {
  return identifier.test(name) ? `${object}.${name}` : `${object}[${text(name)}]`;
}

// Names that every object inherits. A plain lookup would find them even on a value without them.
const inheritedNames = new Set(Object.getOwnPropertyNames(Object.prototype));

export function member(object: string, name: string): string {
  if (inheritedNames.has(name))
    return `(Object.hasOwn(${object}, ${text(name)}) ? ${object}[${text(name)}] : undefined)`;
  return property(object, name);
}

/** Joins members, each `name: value`, into an object literal. */
export function objectLiteral(members: readonly string[]): string {
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
