import type { Scalar } from "../model/request-shape.ts";
import type { Schema } from "../model/schema.ts";

/** The schema of a path, query, header, cookie or form value. */
export function schemaOf(scalar: Scalar): Schema {
  if (!("literals" in scalar) || scalar.literals === undefined) return scalar;
  return { kind: "union", variants: scalar.literals.map((value) => ({ kind: "literal", value })) };
}
