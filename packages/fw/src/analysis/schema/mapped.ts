import type { ESTree } from "rolldown/utils";
import { keysOf, literalKeys } from "./keys.ts";
import { memoized, placeOf, questionOf, refused, unsure } from "./reading.ts";
import type { Argument, Scope } from "./scope.ts";
import { open, withoutUndefined, type ObjectType, type Property, type Type } from "./type.ts";

/** `{ [K in "a" | "b"]: X }` and `{ [K in keyof T]: X }`, as long as the keys are known. */
export function evaluateMapped(node: ESTree.TSMappedType, scope: Scope): Type {
  if (node.nameType) throw unsure(scope, node);
  const source = sourceOf(node, scope);
  if (source?.kind === "refused") return source;
  const constraint = source
    ? keysOf(source, () => unsure(scope, node))
    : scope.reading.evaluate(node.constraint, scope);
  const keys = literalKeys(constraint);
  if (!keys) return record(node, constraint, scope);
  const object = source?.kind === "object" ? source : undefined;
  const properties = new Map<string, Property>();
  for (const key of keys) properties.set(key, mappedProperty(node, key, object, scope));
  return { kind: "object", properties };
}

/** The type whose modifiers the mapped type keeps, when its keys are written `keyof T`. */
function sourceOf(node: ESTree.TSMappedType, scope: Scope): Type | undefined {
  const { constraint } = node;
  if (constraint.type === "TSTypeReference" && isParameter(constraint, scope)) throw unsure(scope, node);
  if (constraint.type !== "TSTypeOperator" || constraint.operator !== "keyof") return undefined;
  const source = open(scope.reading.evaluate(constraint.typeAnnotation, scope));
  if (source.kind !== "object" && source.kind !== "refused") throw unsure(scope, node);
  return source;
}

function isParameter(node: ESTree.TSTypeReference, scope: Scope): boolean {
  return node.typeName.type === "Identifier" && scope.parameters.has(node.typeName.name);
}

function mappedProperty(
  node: ESTree.TSMappedType,
  key: string,
  source: ObjectType | undefined,
  scope: Scope,
): Property {
  const original = source?.properties.get(key);
  const optional = node.optional === "-" ? false : node.optional !== false || original?.optional === true;
  const inner = withKey(node, { type: { kind: "literal", value: key }, key: JSON.stringify(key) }, scope);
  const type = memoized(scope.reading, () => {
    if (!node.typeAnnotation) return refused("any", "any (it has no type)");
    const found = scope.reading.evaluate(node.typeAnnotation, inner);
    return original?.optional && node.optional === "-" ? withoutUndefined(found).type : found;
  });
  return { name: key, optional, place: original?.place ?? placeOf(scope, node), type };
}

function record(node: ESTree.TSMappedType, constraint: Type, scope: Scope): Type {
  const keys = open(constraint);
  if (keys.kind === "primitive" && keys.name === "number") return refused("number-keys", "a map with number keys");
  if (keys.kind !== "primitive" || keys.name !== "string" || !node.typeAnnotation) throw unsure(scope, node);
  const inner = withKey(node, { type: constraint, key: "string" }, scope);
  const index = { key: constraint, value: scope.reading.evaluate(node.typeAnnotation, inner) };
  return { kind: "object", properties: new Map(), index };
}

/** The scope in which a mapped type is read for one key. */
function withKey(node: ESTree.TSMappedType, key: Argument, scope: Scope): Scope {
  return {
    ...scope,
    parameters: new Map(scope.parameters).set(node.key.name, key),
    enclosingQuestion: scope.enclosingQuestion ?? questionOf(scope.module, node),
  };
}
