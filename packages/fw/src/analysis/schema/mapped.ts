import type { ESTree } from "rolldown/utils";
import { keysOf, literalKeys } from "./keys.ts";
import { memoized, placeOf, questionOf, refused, unsure, type Reading } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { open, withoutUndefined, type ObjectType, type Property, type Type } from "./type.ts";

/** `{ [K in "a" | "b"]: X }` and `{ [K in keyof T]: X }`, as long as the keys are known. */
export function evaluateMapped(reading: Reading, node: ESTree.TSMappedType, scope: Scope): Type {
  if (node.nameType) throw unsure(scope, node);
  const source = sourceOf(reading, node, scope);
  if (source?.kind === "refused") return source;
  const constraint = source ? keysOf(source, () => unsure(scope, node)) : reading.evaluate(node.constraint, scope);
  const keys = literalKeys(constraint);
  if (!keys) return record(reading, node, constraint, scope);
  const object = source?.kind === "object" ? source : undefined;
  const properties = new Map<string, Property>();
  for (const key of keys) properties.set(key, mappedProperty(reading, node, key, object, scope));
  return { kind: "object", properties };
}

/** The type whose modifiers the mapped type keeps, when its keys are written `keyof T`. */
function sourceOf(reading: Reading, node: ESTree.TSMappedType, scope: Scope): Type | undefined {
  const { constraint } = node;
  if (constraint.type === "TSTypeReference" && isParameter(constraint, scope)) throw unsure(scope, node);
  if (constraint.type !== "TSTypeOperator" || constraint.operator !== "keyof") return undefined;
  const source = open(reading.evaluate(constraint.typeAnnotation, scope));
  if (source.kind !== "object" && source.kind !== "refused") throw unsure(scope, node);
  return source;
}

function isParameter(node: ESTree.TSTypeReference, scope: Scope): boolean {
  return node.typeName.type === "Identifier" && scope.parameters.has(node.typeName.name);
}

function mappedProperty(
  reading: Reading,
  node: ESTree.TSMappedType,
  key: string,
  source: ObjectType | undefined,
  scope: Scope,
): Property {
  const original = source?.properties.get(key);
  const optional = node.optional === "-" ? false : node.optional !== false || original?.optional === true;
  const parameters = new Map(scope.parameters).set(node.key.name, {
    type: { kind: "literal", value: key },
    key: JSON.stringify(key),
  });
  const inner: Scope = {
    ...scope,
    parameters,
    enclosingQuestion: scope.enclosingQuestion ?? questionOf(scope.module, node),
  };
  const type = memoized(reading, () => {
    if (!node.typeAnnotation) return refused("any", "any (it has no type)");
    const found = reading.evaluate(node.typeAnnotation, inner);
    return original?.optional && node.optional === "-" ? withoutUndefined(found).type : found;
  });
  return { name: key, optional, place: original?.place ?? placeOf(scope, node), type };
}

function record(reading: Reading, node: ESTree.TSMappedType, constraint: Type, scope: Scope): Type {
  const keys = open(constraint);
  if (keys.kind === "primitive" && keys.name === "number") return refused("number-keys", "a map with number keys");
  if (keys.kind !== "primitive" || keys.name !== "string" || !node.typeAnnotation) throw unsure(scope, node);
  const parameters = new Map(scope.parameters).set(node.key.name, { type: keys, key: "string" });
  const inner: Scope = {
    ...scope,
    parameters,
    enclosingQuestion: scope.enclosingQuestion ?? questionOf(scope.module, node),
  };
  return { kind: "object", properties: new Map(), values: reading.evaluate(node.typeAnnotation, inner) };
}
