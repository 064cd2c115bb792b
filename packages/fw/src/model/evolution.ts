import type { Schema } from "./schema.ts";

/** Rules for older values of a declaration's type, by top-level field. */
export interface Evolution {
  /** The earlier names of fields, by field. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The fields that have a value or a function for data that lacks them or holds another type, sorted. */
  readonly upgraded: readonly string[];
}

/** A declaration whose data outlives the code that wrote it. */
export interface Evolving {
  readonly evolution?: Evolution;
}

/** The object types that a value can have: the type itself, or each alternative of a union. */
export function objectsOf(schema: Schema, schemaOf: (id: string) => Schema | undefined): readonly ObjectSchema[] {
  const openedIds = new Set<string>();
  const open = (each: Schema): readonly ObjectSchema[] => {
    if (each.kind === "object") return [each];
    if (each.kind === "union") return each.variants.flatMap(open);
    if (each.kind !== "ref" || openedIds.has(each.id)) return [];
    openedIds.add(each.id);
    const target = schemaOf(each.id);
    return target === undefined ? [] : open(target);
  };
  return open(schema);
}

export type ObjectSchema = Extract<Schema, { kind: "object" }>;
