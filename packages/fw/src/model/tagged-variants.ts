import { alternatives, literalsOf, type Schema, type TypeTable } from "./schema.ts";

type Tag = string | number | boolean;

/** The object variants of a union, by the value of their tag. */
interface TaggedVariants {
  readonly tag: string;
  readonly variants: ReadonlyMap<Tag, Schema>;
}

/**
 * Returns the object variants by tag; undefined if there is no usable tag, for example because an object variant lacks
 * it or two share a value. Variants are then tried in order.
 */
export function taggedVariants(
  union: Extract<Schema, { kind: "union" }>,
  types: TypeTable,
): TaggedVariants | undefined {
  const { tag } = union;
  if (tag === undefined) return undefined;
  const variants = new Map<Tag, Schema>();
  for (const variant of alternatives(union, (id) => types[id])) {
    const target = variant.kind === "ref" ? types[variant.id] : variant;
    if (target?.kind === "record" || target?.kind === "json") return undefined;
    if (target?.kind !== "object") continue;
    const field = target.fields.find(({ name, optional }) => name === tag && !optional);
    const values = field && literalsOf(field.schema);
    if (values === undefined || values.some((value) => variants.has(value))) return undefined;
    for (const value of values) variants.set(value, variant);
  }
  return variants.size === 0 ? undefined : { tag, variants };
}
