import type { ESTree } from "rolldown/utils";
import { fromChecked } from "./checked-type.ts";
import { propertyName } from "../source/expression.ts";
import { fieldsOf } from "./class-of-fields.ts";
import { markLength, memoized, NeedsChecker, rangeOf, questionKey, refusedType } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import type { Property, Type } from "./type.ts";

/**
 * Converts a class with only public fields. Refuses other classes, because a received value would lack their other
 * members.
 */
export function classType(node: ESTree.Class, scope: TypeScope, base: (node: ESTree.Class) => Type | undefined): Type {
  const name = node.id?.name ?? "a class";
  if (hasBlobShape(node)) return { kind: "known", name: "Blob" };
  const fields = fieldsOf(node);
  const inherited = node.superClass ? base(node) : undefined;
  if (!fields || (node.superClass && inherited?.kind !== "object")) return refusedType("class", name);
  const properties = new Map<string, Property>();
  for (const [key, field] of fields) {
    const type = memoized(scope.reading, () => fieldType(field, scope));
    properties.set(key, { name: key, optional: field.optional === true, range: rangeOf(scope, field.key), type });
  }
  if (inherited?.kind === "object") {
    for (const [key, property] of inherited.properties) if (!properties.has(key)) properties.set(key, property);
  }
  return { kind: "object", properties, className: name };
}

/** Recognizes a file: any class with a `stream` method and a `type`. */
function hasBlobShape({ body }: ESTree.Class): boolean {
  const [stream, type] = ["stream", "type"].map((name) =>
    body.body.find((each) => "key" in each && !each.static && propertyName(each) === name),
  );
  if (stream?.type !== "MethodDefinition" || stream.kind !== "method") return false;
  return type?.type === "PropertyDefinition" || (type?.type === "MethodDefinition" && type.kind === "get");
}

/** Reads the type of a field. Without an annotation, the checker infers it from the initializer. */
function fieldType(field: ESTree.PropertyDefinition, scope: TypeScope): Type {
  if (field.typeAnnotation) return scope.reading.evaluate(field.typeAnnotation.typeAnnotation, scope);
  if (!field.value) return refusedType("any", "any (it has no type)");
  if (scope.enclosingQuestion) throw new NeedsChecker(scope.enclosingQuestion);
  const question = { path: scope.module.path, start: field.key.start - markLength(scope.module) };
  const answer = scope.reading.answers.get(questionKey(question));
  if (!answer) throw new NeedsChecker(question);
  return fromChecked(answer, rangeOf(scope, field.key), scope.reading);
}
