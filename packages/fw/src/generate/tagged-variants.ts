import type { Schema, TypeTable } from "../model/schema.ts";

type Tag = string | number | boolean;

/**
 * The object variants of a union by the values of their tag. Undefined where an object variant has no tag or two
 * share a value: then the variants are tried in order.
 */
export function taggedVariants(
  union: Extract<Schema, { kind: "union" }>,
  tag: string,
  types: TypeTable,
): ReadonlyMap<Tag, Schema> | undefined {
  const variants = new Map<Tag, Schema>();
  for (const variant of union.variants) {
    const target = variant.kind === "ref" ? types[variant.id] : variant;
    if (target?.kind === "union" || target?.kind === "record" || target?.kind === "json") return undefined;
    if (target?.kind !== "object") continue;
    const values = tagValues(target.fields.find((field) => field.name === tag && !field.optional)?.schema);
    if (values === undefined || values.some((value) => variants.has(value))) return undefined;
    for (const value of values) variants.set(value, variant);
  }
  return variants.size === 0 ? undefined : variants;
}

function tagValues(schema: Schema | undefined): readonly Tag[] | undefined {
  if (schema?.kind === "literal") return [schema.value];
  if (schema?.kind !== "union") return undefined;
  const values = schema.variants.map((variant) => tagValues(variant));
  return values.includes(undefined) ? undefined : values.flatMap((value) => value ?? []);
}
