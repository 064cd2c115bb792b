import type { ESTree } from "rolldown/utils";
import { askChecker, type NeedsChecker } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import { isPrimitive, membersOf, open, undefinedType, unionOf, type ObjectType, type Type } from "./type.ts";

/** Evaluates `keyof T` for an object type. */
export function keysOf(type: Type, giveUp: () => NeedsChecker): Type {
  const opened = open(type);
  if (opened.kind === "refused") return opened;
  if (opened.kind !== "object") throw giveUp();
  if (opened.index) return opened.index.key;
  const names = [...opened.properties.keys()];
  // A numeric key is a number in `keyof`, but a string in the object.
  if (names.some((name) => String(Number(name)) === name)) throw giveUp();
  return unionOf(names.map((value) => ({ kind: "literal", value })));
}

/** Lists the literals of a type as strings; undefined if a member is not a string or number literal. */
export function literalKeys(type: Type): readonly string[] | undefined {
  const keys: string[] = [];
  for (const member of membersOf(type)) {
    const opened = open(member);
    if (opened.kind !== "literal" || typeof opened.value === "boolean") return undefined;
    keys.push(String(opened.value));
  }
  return keys;
}

/** Evaluates `T["name"]`, `T["a" | "b"]` and `T[number]`. */
export function indexedType(node: ESTree.TSIndexedAccessType, scope: TypeScope): Type {
  const object = open(scope.reading.evaluate(node.objectType, scope));
  const index = scope.reading.evaluate(node.indexType, scope);
  if (object.kind === "refused") return object;
  const type = elementType(object, index) ?? propertyType(object, index);
  if (!type) throw askChecker(scope, node);
  return type;
}

function elementType(object: Type, index: Type): Type | undefined {
  const opened = open(index);
  const isNumber = opened.kind === "primitive" && opened.name === "number";
  if (object.kind === "array") return isNumber ? object.items : undefined;
  if (object.kind !== "tuple") return undefined;
  if (isNumber)
    return unionOf(object.items.flatMap((item) => (item.optional ? [item.type, undefinedType] : [item.type])));
  const item = opened.kind === "literal" ? object.items[Number(opened.value)] : undefined;
  return item && !item.rest && !item.optional ? item.type : undefined;
}

function propertyType(object: Type, index: Type): Type | undefined {
  if (object.kind !== "object") return undefined;
  const keys = literalKeys(index);
  if (!keys || keys.length === 0) return isPrimitive(index, "string") ? object.index?.value : undefined;
  const types = keys.map((key) => keyType(object, key));
  return types.every((type) => type !== undefined) ? unionOrOnly(types) : undefined;
}

function unionOrOnly(types: readonly Type[]): Type {
  const [only, ...rest] = types;
  return only && rest.length === 0 ? only : unionOf(types);
}

function keyType(object: ObjectType, key: string): Type | undefined {
  const property = object.properties.get(key);
  if (!property) return object.index?.value;
  return property.optional ? { kind: "union", members: [property.type(), undefinedType] } : property.type();
}
