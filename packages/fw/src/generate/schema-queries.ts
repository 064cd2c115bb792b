import { limitsOf, partsOf, reachable, type Schema, type TypeTable } from "../model/schema.ts";

/** True if the schema contains a recursive named type. */
export function isRecursive(schema: Schema, types: TypeTable): boolean {
  return [...reachable(schema, types)].some((id) => reachable(types[id], types).has(id));
}

export function holds(schema: Schema, kind: Schema["kind"], types: TypeTable): boolean {
  return holdsOne(schema, types, (inner) => inner.kind === kind);
}

/** True if values of the schema, or anything in them, have limits. */
export function hasLimits(schema: Schema, types: TypeTable): boolean {
  return holdsOne(
    schema,
    types,
    (inner) => limitsOf(inner) !== undefined || (inner.kind === "record" && inner.keys !== undefined),
  );
}

function holdsOne(schema: Schema, types: TypeTable, is: (inner: Schema) => boolean): boolean {
  const inside = (inner: Schema): boolean => is(inner) || partsOf(inner).some(inside);
  return [schema, ...[...reachable(schema, types)].flatMap((id) => types[id] ?? [])].some(inside);
}
