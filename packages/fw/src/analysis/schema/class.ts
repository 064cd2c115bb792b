import type { ESTree } from "rolldown/utils";
import { fromChecked } from "./checked.ts";
import { propertyName } from "../source/expression.ts";
import { fieldsOf } from "./class-of-fields.ts";
import { markLength, memoized, NeedsChecker, placeOf, questionKey, refused } from "./reading.ts";
import type { Scope } from "./scope.ts";
import type { Property, Type } from "./type.ts";

/** The fields of a class that has nothing else; any other is refused: what is received would be no instance of it. */
export function classType(node: ESTree.Class, scope: Scope, base: (node: ESTree.Class) => Type | undefined): Type {
  const name = node.id?.name ?? "a class";
  if (hasBlobShape(node)) return { kind: "known", name: "Blob" };
  const fields = fieldsOf(node);
  const inherited = node.superClass ? base(node) : undefined;
  if (!fields || (node.superClass && inherited?.kind !== "object")) return refused("class", name);
  const properties = new Map<string, Property>();
  for (const field of fields) {
    const key = propertyName(field);
    if (key === undefined) return refused("class", name);
    const type = memoized(scope.reading, () => fieldType(field, scope));
    properties.set(key, { name: key, optional: field.optional === true, place: placeOf(scope, field.key), type });
  }
  if (inherited?.kind === "object") {
    for (const [key, property] of inherited.properties) if (!properties.has(key)) properties.set(key, property);
  }
  return { kind: "object", properties, className: name };
}

/** Anything that opens as a stream and says its type is a file. */
function hasBlobShape({ body }: ESTree.Class): boolean {
  const [stream, type] = ["stream", "type"].map((name) =>
    body.body.find((each) => "key" in each && !each.static && propertyName(each) === name),
  );
  if (stream?.type !== "MethodDefinition" || stream.kind !== "method") return false;
  return type?.type === "PropertyDefinition" || (type?.type === "MethodDefinition" && type.kind === "get");
}

/** What a field without a type begins with has one that the checker infers. */
function fieldType(field: ESTree.PropertyDefinition, scope: Scope): Type {
  if (field.typeAnnotation) return scope.reading.evaluate(field.typeAnnotation.typeAnnotation, scope);
  if (!field.value) return refused("any", "any (it has no type)");
  if (scope.enclosingQuestion) throw new NeedsChecker(scope.enclosingQuestion);
  const question = { path: scope.module.path, start: field.key.start - markLength(scope.module) };
  const answer = scope.reading.answers.get(questionKey(question));
  if (!answer) throw new NeedsChecker(question);
  return fromChecked(answer, placeOf(scope, field.key), scope.reading);
}
