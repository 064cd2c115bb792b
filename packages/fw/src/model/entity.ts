import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";
import type { Evolving } from "./evolution.ts";
import type { Schema } from "./schema.ts";
import type { Separated } from "./tenant.ts";

/** An Entity declaration. */
export interface Entity extends NamedDeclaration<"entity">, Evolving, Separated {
  /** The field that holds a document's id. */
  readonly id: string;
  readonly indexed: readonly IndexedField[];
  /** The `Transient` fields, which are not stored. */
  readonly transient: readonly string[];
  /** The fields that refer to documents; absent without any. */
  readonly refs?: readonly EntityRef[];
  /** The stored fields of a document, without its id; absent if the type is not known in full. */
  readonly document?: Schema;
}

/** A field with the id of a document of an entity, or with a list of them. */
export interface EntityRef {
  readonly field: string;
  /** The entity's name. */
  readonly entity: string;
}

export interface IndexedField {
  readonly name: string;
  /** The field holds a list, and each element is indexed. */
  readonly many: boolean;
  /** A value is one document's. */
  readonly unique?: true;
}

/** A field and the way it is sorted. */
export interface FieldOrder {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/** A query's requirements of an index: equality fields, one range field, and the order. */
export interface QueryShape {
  /** Fields that are compared by `==`, `in` or `contains`: each once, sorted. */
  readonly equal: readonly string[];
  /** The field with a range; then the first order, when there is one. */
  readonly range?: string;
  readonly orders: readonly FieldOrder[];
}

/** A composite index, which has to be deployed for the queries that need it. */
export interface CompositeIndex {
  /** The entity's name. */
  readonly entity: string;
  /** First the fields compared by equality, then the order. */
  readonly fields: readonly FieldOrder[];
  /** The queries in the source that need this index, in source order. */
  readonly neededBy: readonly Span[];
}
