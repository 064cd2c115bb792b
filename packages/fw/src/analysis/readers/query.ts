import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { QueryShape } from "../../model/entity.ts";
import type { SourceNode } from "../source/module.ts";
import type { Located } from "./declaration-syntax.ts";

/** A call that runs a query: `all`, `first`, `count`, `countBy`, `sum`, `average`, `page` or `each`. */
export interface QueryUse {
  readonly entity: DeclarationKey;
  readonly at: Span;
  /** The possible shapes of the query at this call, without duplicates. */
  readonly shapes: readonly QueryShape[];
}

/** Stands for the property that holds the terms of `Search` fields; no field can have this name. */
export const searchField = "@search";

export interface FieldUse {
  readonly entity: DeclarationKey;
  readonly field: string;
  readonly use: "filters" | "orders" | "counts";
  readonly at: Span;
}

/** A query that escapes to code that fw cannot follow. */
export interface EscapeFault {
  readonly kind: "escape";
  readonly at: Span;
  readonly how: string;
  readonly begins: Span;
  readonly unknown?: true;
}

/** A mistake in a query that does not depend on its entity's fields. */
export type QueryFault =
  /** A field name or an operator that is not constant. */
  | {
      readonly kind: "constant";
      readonly at: Span;
      readonly what: "field" | "operator" | "sorts";
      readonly reading: Located<string>;
    }
  | EscapeFault
  /** The first conditional filter beyond the maximum. */
  | {
      readonly kind: "conditions";
      readonly at: Span;
      /** The conditional filters before it, as many as the maximum. */
      readonly others: readonly Span[];
      /** The number of all conditional filters. */
      readonly all: number;
      /** The number of composite indexes that all of them need. */
      readonly indexes: number;
    }
  /** A `conditions` option that is not constant or not allowed. */
  | { readonly kind: "limit"; readonly at: Span; readonly reading: Located<unknown> }
  /** A query with too many possible shapes to deploy indexes for. */
  | { readonly kind: "shapes"; readonly at: Span }
  /**
   * A second range field, an order that does not start with the range field, or an equality filter on the range
   * field.
   */
  | {
      readonly kind: "ranges" | "order" | "compared";
      readonly at: Span;
      readonly field: string;
      readonly range: string;
      readonly first: Span;
    };

export interface QueriesRead {
  readonly uses: readonly QueryUse[];
  readonly fields: readonly FieldUse[];
  readonly faults: readonly QueryFault[];
  /** The entities whose queries skip documents. */
  readonly skipping: readonly DeclarationKey[];
  /** Calls of `query` on unknown objects. If their types show that they are queries, fw cannot follow them. */
  readonly unclear: readonly SourceNode[];
}

export const noQueries: QueriesRead = { uses: [], fields: [], faults: [], skipping: [], unclear: [] };
