import type { BindingSource } from "./bindings.ts";
import type { Span } from "./diagnostic.ts";
import type { Field, TextPattern } from "./schema.ts";

/** The scalar a bound field carries. */
export type Scalar =
  | { readonly kind: "string"; readonly literals?: readonly string[]; readonly pattern?: TextPattern }
  | { readonly kind: "boolean" }
  | { readonly kind: "int"; readonly literals?: readonly number[] }
  | { readonly kind: "int64" }
  | { readonly kind: "number"; readonly literals?: readonly number[] }
  | { readonly kind: "blob" };

/** One field that is bound to a place in the request. */
export interface BoundField {
  readonly property: string;
  readonly source: BindingSource;
  /** The name on the wire: the property's, or the binding's second type argument. */
  readonly wire: string;
  readonly type: Scalar;
  /** A list of texts: every value of a repeated parameter. */
  readonly list: boolean;
  readonly optional: boolean;
  readonly at: Span;
  /** Its doc comment; absent where it has none. */
  readonly doc?: string;
}

/** How a request is turned into the handler's second argument. */
export interface RequestShape {
  readonly bound: readonly BoundField[];
  /** The untagged fields: the JSON body. */
  readonly body: readonly Field[];
  /** What the request carries besides its URL, derived from the fields. */
  readonly carries: "nothing" | "json" | "form" | "multipart";
  /** The id of the request's type, as in `App.types`; absent where it has no name. */
  readonly type?: string;
}
