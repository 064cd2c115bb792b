import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { QueryShape } from "../../model/entity.ts";
import type { Located } from "./declaration-syntax.ts";

/** A place that reads what a query finds: `all`, `first`, `count`, `sum`, `average`, `page` or `each`. */
export interface QueryUse {
  readonly entity: DeclarationKey;
  readonly at: Span;
  /** Every shape that the query can have there, each once. */
  readonly shapes: readonly QueryShape[];
}

/** A field that a query filters or orders by. */
export interface FieldUse {
  readonly entity: DeclarationKey;
  readonly field: string;
  readonly use: "filters" | "orders";
  readonly at: Span;
}

/** What is wrong with a query, whatever the fields of its entity are. */
export type QueryFault =
  /** The name of a field, or an operator, that is no constant. */
  | {
      readonly kind: "constant";
      readonly at: Span;
      readonly what: "field" | "operator" | "sorts";
      readonly reading: Located<string>;
    }
  /**
   * The query goes where it cannot be followed; `unknown` is true where the walk does not know the entity that it
   * asks.
   */
  | {
      readonly kind: "escape";
      readonly at: Span;
      readonly how: string;
      readonly begins: Span;
      readonly unknown?: true;
    }
  /** The fifth conditional filter, with the four before it. */
  | { readonly kind: "conditions"; readonly at: Span; readonly others: readonly Span[] }
  /** Orders that make more shapes than anyone deploys indexes for. */
  | { readonly kind: "shapes"; readonly at: Span }
  /** A second field with a range, or an order that does not begin with the range's field. */
  | {
      readonly kind: "ranges" | "order";
      readonly at: Span;
      readonly field: string;
      readonly range: string;
      readonly first: Span;
    };

/** The queries of an application. */
export interface QueriesRead {
  readonly uses: readonly QueryUse[];
  readonly fields: readonly FieldUse[];
  readonly faults: readonly QueryFault[];
}

export const noQueries: QueriesRead = { uses: [], fields: [], faults: [] };
