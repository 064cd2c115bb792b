import { literalKeys } from "./keys.ts";
import { refusedType, type NeedsChecker } from "./type-reading.ts";
import {
  isScalar,
  isPrimitive,
  isUndefined,
  membersOf,
  open,
  unionOf,
  withoutUndefined,
  type ObjectType,
  type Property,
  type Type,
} from "./type.ts";

type GiveUp = () => NeedsChecker;

/** TypeScript's array and utility types by name. The checker evaluates the others, such as Awaited. */
export const utilities: Readonly<Record<string, (types: readonly Type[], giveUp: GiveUp) => Type>> = {
  Array: (types, giveUp) => ({ kind: "array", items: first(types, giveUp) }),
  ReadonlyArray: (types, giveUp) => ({ kind: "array", items: first(types, giveUp) }),
  Readonly: first,
  NoInfer: first,
  Partial: (types, giveUp) => withModifier(first(types, giveUp), true, giveUp),
  Required: (types, giveUp) => withModifier(first(types, giveUp), false, giveUp),
  Pick: (types, giveUp) => pick(types, giveUp, (keys, name) => keys.has(name)),
  Omit: (types, giveUp) => pick(types, giveUp, (keys, name) => !keys.has(name)),
  Record: recordType,
  NonNullable: (types, giveUp) => nonNullable(first(types, giveUp)),
  Exclude: (types, giveUp) => filter(types, giveUp, false),
  Extract: (types, giveUp) => filter(types, giveUp, true),
  Uppercase: (types, giveUp) => recase(types, giveUp, (text) => text.toUpperCase()),
  Lowercase: (types, giveUp) => recase(types, giveUp, (text) => text.toLowerCase()),
  Capitalize: (types, giveUp) => recase(types, giveUp, (text) => text.slice(0, 1).toUpperCase() + text.slice(1)),
  Uncapitalize: (types, giveUp) => recase(types, giveUp, (text) => text.slice(0, 1).toLowerCase() + text.slice(1)),
};

/** Returns the first type argument. Throws what `giveUp` returns if there is none. */
export function first(types: readonly Type[], giveUp: GiveUp): Type {
  const [type] = types;
  if (!type) throw giveUp();
  return type;
}

function objectIn(type: Type, giveUp: GiveUp): ObjectType {
  const inner = open(type);
  if (inner.kind !== "object") throw giveUp();
  return inner;
}

function withModifier(type: Type, optional: boolean, giveUp: GiveUp): Type {
  const inner = open(type);
  if (inner.kind === "refused") return inner;
  const object = objectIn(inner, giveUp);
  const properties = [...object.properties.values()].map((property): [string, Property] => {
    const { name, range } = property;
    const strip = !optional && property.optional;
    const type = strip ? (): Type => withoutUndefined(property.type()).type : (): Type => property.type();
    return [name, { name, optional, range, type }];
  });
  return { kind: "object", properties: new Map(properties), ...(object.index && { index: object.index }) };
}

function pick(
  types: readonly Type[],
  giveUp: GiveUp,
  keep: (keys: ReadonlySet<string>, name: string) => boolean,
): Type {
  const [from, names] = types;
  if (!from || !names) throw giveUp();
  const inner = open(from);
  if (inner.kind === "refused") return inner;
  const object = objectIn(inner, giveUp);
  const keys = literalKeys(names);
  if (!keys || object.index) throw giveUp();
  const keySet = new Set(keys);
  return { kind: "object", properties: new Map([...object.properties].filter(([name]) => keep(keySet, name))) };
}

function recordType(types: readonly Type[], giveUp: GiveUp): Type {
  const [keys, values] = types;
  if (!keys || !values) throw giveUp();
  const names = literalKeys(keys);
  if (names) return { kind: "object", properties: new Map(names.map((name) => [name, recordProperty(name, values)])) };
  const key = open(keys);
  if (key.kind === "refused") return key;
  if (key.kind === "primitive" && key.name === "number") return refusedType("number-keys", "a record with number keys");
  if (key.kind !== "primitive" || key.name !== "string") throw giveUp();
  return { kind: "object", properties: new Map(), index: { key: keys, value: values } };
}

function recordProperty(name: string, values: Type): Property {
  return { name, optional: false, range: undefined, type: () => values };
}

function nonNullable(type: Type): Type {
  return unionOf(membersOf(type).filter((member) => !isUndefined(member) && !isPrimitive(member, "null")));
}

/** Evaluates Exclude and Extract for literals and primitives; the checker decides other cases. */
function filter(types: readonly Type[], giveUp: GiveUp, keep: boolean): Type {
  const [from, pattern] = types;
  if (!from || !pattern) throw giveUp();
  const patterns = membersOf(pattern).map(open);
  return unionOf(membersOf(from).filter((member) => fits(open(member), patterns, giveUp) === keep));
}

function fits(member: Type, patterns: readonly Type[], giveUp: GiveUp): boolean {
  if (!isScalar(member) || !patterns.every(isScalar)) throw giveUp();
  if (member.kind === "primitive" && member.name === "boolean" && patterns.some((each) => each.kind === "literal"))
    throw giveUp();
  return patterns.some((pattern) => isWithin(member, pattern));
}

function isWithin(member: Type, pattern: Type): boolean {
  if (member.kind === "literal") {
    return pattern.kind === "literal"
      ? pattern.value === member.value
      : pattern.kind === "primitive" && pattern.name === typeof member.value;
  }
  return member.kind === "primitive" && pattern.kind === "primitive" && member.name === pattern.name;
}

function recase(types: readonly Type[], giveUp: GiveUp, change: (text: string) => string): Type {
  const members = membersOf(first(types, giveUp)).map(open);
  if (!members.every((member) => member.kind === "literal" && typeof member.value === "string")) throw giveUp();
  return unionOf(
    members.map((member) => ({
      kind: "literal",
      value: change(member.kind === "literal" ? String(member.value) : ""),
    })),
  );
}
