import type { Span } from "./diagnostic.ts";

/** Doc comments of declarations and types, for their users. */
export interface Descriptions {
  /** Doc comments of declarations, by `declarationKey`. */
  readonly declarations: ReadonlyMap<string, string>;
  /** Named types by their ids in `App.types` and of requests. */
  readonly types: ReadonlyMap<string, DescribedType>;
}

export interface DescribedType {
  /** Its name in its declaration. */
  readonly at: Span;
  readonly doc?: string;
}
