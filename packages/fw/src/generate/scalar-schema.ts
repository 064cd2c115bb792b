import type { Scalar } from "../model/request-shape.ts";
import type { Schema } from "../model/schema.ts";

/** What a value of a path, a query, a header, a cookie or a form is, as a schema. */
export function schemaOf(scalar: Scalar): Schema {
  if (!("literals" in scalar) || scalar.literals === undefined) return scalar;
  return { kind: "union", variants: scalar.literals.map((value) => ({ kind: "literal", value })) };
}
