import type { ESTree } from "rolldown/utils";
import { keysOf, literalKeys } from "./keys.ts";
import { memoized, rangeOf, questionOf, refusedType, askChecker } from "./type-reading.ts";
import type { TypeArgument, TypeScope } from "./type-scope.ts";
import { open, withoutUndefined, type ObjectType, type Property, type Type } from "./type.ts";

/** Evaluates `{ [K in "a" | "b"]: X }` and `{ [K in keyof T]: X }` if the keys are known. */
export function evaluateMapped(node: ESTree.TSMappedType, scope: TypeScope): Type {
  if (node.nameType) throw askChecker(scope, node);
  const source = sourceOf(node, scope);
  if (source?.kind === "refused") return source;
  const constraint = source
    ? keysOf(source, () => askChecker(scope, node))
    : scope.reading.evaluate(node.constraint, scope);
  const keys = literalKeys(constraint);
  if (!keys) return recordType(node, constraint, scope);
  const object = source?.kind === "object" ? source : undefined;
  const properties = new Map<string, Property>();
  for (const key of keys) properties.set(key, mappedProperty(node, key, object, scope));
  return { kind: "object", properties };
}

/**
 * Returns the `T` of a mapped type over `keyof T`, which keeps the modifiers of `T`; undefined for other mapped types.
 */
function sourceOf(node: ESTree.TSMappedType, scope: TypeScope): Type | undefined {
  const { constraint } = node;
  if (constraint.type === "TSTypeReference" && isParameter(constraint, scope)) throw askChecker(scope, node);
  if (constraint.type !== "TSTypeOperator" || constraint.operator !== "keyof") return undefined;
  const source = open(scope.reading.evaluate(constraint.typeAnnotation, scope));
  if (source.kind !== "object" && source.kind !== "refused") throw askChecker(scope, node);
  return source;
}

function isParameter(node: ESTree.TSTypeReference, scope: TypeScope): boolean {
  return node.typeName.type === "Identifier" && scope.parameters.has(node.typeName.name);
}

function mappedProperty(
  node: ESTree.TSMappedType,
  key: string,
  source: ObjectType | undefined,
  scope: TypeScope,
): Property {
  const original = source?.properties.get(key);
  const optional = node.optional === "-" ? false : node.optional !== false || original?.optional === true;
  const inner = withKey(node, { type: { kind: "literal", value: key }, key: JSON.stringify(key) }, scope);
  const type = memoized(scope.reading, () => {
    if (!node.typeAnnotation) return refusedType("any", "any (it has no type)");
    const mapped = scope.reading.evaluate(node.typeAnnotation, inner);
    return original?.optional && node.optional === "-" ? withoutUndefined(mapped).type : mapped;
  });
  return { name: key, optional, range: original?.range ?? rangeOf(scope, node), type };
}

function recordType(node: ESTree.TSMappedType, constraint: Type, scope: TypeScope): Type {
  const keys = open(constraint);
  if (keys.kind === "primitive" && keys.name === "number") return refusedType("number-keys", "a map with number keys");
  if (keys.kind !== "primitive" || keys.name !== "string" || !node.typeAnnotation) throw askChecker(scope, node);
  const inner = withKey(node, { type: constraint, key: "string" }, scope);
  const index = { key: constraint, value: scope.reading.evaluate(node.typeAnnotation, inner) };
  return { kind: "object", properties: new Map(), index };
}

/** Creates the scope of a mapped type's body for one key. */
function withKey(node: ESTree.TSMappedType, key: TypeArgument, scope: TypeScope): TypeScope {
  return {
    ...scope,
    parameters: new Map(scope.parameters).set(node.key.name, key),
    enclosingQuestion: scope.enclosingQuestion ?? questionOf(scope.module, node),
  };
}
