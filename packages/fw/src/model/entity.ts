import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";
import type { Evolving } from "./evolution.ts";
import type { Schema } from "./schema.ts";
import type { Separated } from "./tenant.ts";

export interface Entity extends NamedDeclaration<"entity">, Evolving, Separated {
  /** The field that holds a document's id. */
  readonly id: string;
  readonly indexed: readonly IndexedField[];
  /** The `Transient` fields, which are not stored. */
  readonly transient: readonly string[];
  /** The fields that refer to other documents; absent if there are none. */
  readonly refs?: readonly EntityRef[];
  /** The stored fields of a document, without its id; absent unless the type is fully known. */
  readonly document?: Schema;
}

/** A field with the id of a document of an entity, or with a list of such ids. */
export interface EntityRef {
  readonly field: string;
  readonly entity: string;
  /** The effect of deleting the referenced document; absent if there is none. */
  readonly onDelete?: OnDelete;
}

/** The effect on documents if code deletes the document they refer to. */
export type OnDelete = "refuse" | "cascade" | "clear";

export interface IndexedField {
  readonly name: string;
  /** True if the field holds a list, whose elements are indexed. */
  readonly many: boolean;
  /** Present if no two documents share a value. */
  readonly unique?: true;
}

export interface FieldOrder {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/** A query's requirements for an index: equality fields, one range field, and the order. */
export interface QueryShape {
  /** Fields compared with `==`, `in` or `contains`, sorted and without duplicates. */
  readonly equal: readonly string[];
  /** The field with a range; it is also the first in the order, if there is an order. */
  readonly range?: string;
  readonly orders: readonly FieldOrder[];
}

export interface CountedField {
  readonly entity: string;
  readonly field: string;
  readonly values: readonly FiniteValue[];
}

/** A value of a type that has finitely many values. */
export type FiniteValue = string | number | boolean | null;

/** A composite index, which must be deployed for the queries that need it. */
export interface CompositeIndex {
  readonly entity: string;
  /** The fields compared for equality, followed by the order. */
  readonly fields: readonly FieldOrder[];
  /** The queries in the source that need this index, in source order. */
  readonly neededBy: readonly Span[];
}
