import type { Limits } from "../lib/limited.ts";
import type { BindingSource } from "./bindings.ts";
import type { Span } from "./diagnostic.ts";
import type { Field, Schema, TextPattern } from "./schema.ts";

/** The scalar a bound field carries. */
export type Scalar =
  | {
      readonly kind: "string";
      readonly literals?: readonly string[];
      readonly pattern?: TextPattern;
      readonly limits?: Limits;
    }
  | { readonly kind: "boolean" }
  | { readonly kind: "int"; readonly literals?: readonly number[]; readonly limits?: Limits }
  | { readonly kind: "int64" }
  | { readonly kind: "number"; readonly literals?: readonly number[]; readonly limits?: Limits }
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
  /** How many there may be of a list; absent where that is not said. */
  readonly items?: Limits;
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
  /** The field that has the whole body; then there are no untagged ones. */
  readonly whole?: WholeBody;
  /** The kind of request body, derived from the fields. */
  readonly carries: Carries;
  /** The id of the request's type, as in `App.types`; absent where it has no name. */
  readonly type?: string;
}

/** A `stream` is passed on without buffering. */
export type Carries = "nothing" | "json" | "raw" | "form" | "multipart" | "stream";

/** A field that has the whole body. */
export interface WholeBody {
  readonly property: string;
  readonly optional: boolean;
  /** The JSON type; absent for raw bytes. */
  readonly schema?: Schema;
  /** Its doc comment; absent where it has none. */
  readonly doc?: string;
}

/** The schemas of what a request has in a JSON body. */
export function bodySchemas({ body, whole }: Pick<RequestShape, "body" | "whole">): readonly Schema[] {
  return [...body.map((field) => field.schema), ...(whole?.schema === undefined ? [] : [whole.schema])];
}
