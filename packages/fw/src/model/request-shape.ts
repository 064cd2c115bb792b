import type { Limits } from "../lib/limited.ts";
import type { BindingSource } from "./bindings.ts";
import type { Span } from "./diagnostic.ts";
import type { Field, Schema, TextPattern } from "./schema.ts";

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

/** Returns the schema of a path, query, header, cookie or form value. */
export function schemaOf(scalar: Scalar): Schema {
  if (!("literals" in scalar) || scalar.literals === undefined) return scalar;
  return { kind: "union", variants: scalar.literals.map((value) => ({ kind: "literal", value })) };
}

export interface BoundField {
  readonly property: string;
  readonly source: BindingSource;
  /** The name on the wire: the property's, or the marker's second type argument. */
  readonly wire: string;
  readonly type: Scalar;
  /** True for a list: every value of a repeated parameter. */
  readonly list: boolean;
  /** The limits on the number of items in a list; absent if it has none. */
  readonly items?: Limits;
  readonly optional: boolean;
  readonly at: Span;
  /** Its doc comment; absent if it has none. */
  readonly doc?: string;
}

/** The type of the handler's request, by the parts of HTTP requests that its fields come from. */
export interface RequestShape {
  readonly bound: readonly BoundField[];
  /** The location of the first marked field with a problem; absent if there is none. `bound` omits such fields. */
  readonly refusedAt?: Span;
  /** The unmarked fields, which form the JSON body. */
  readonly body: readonly Field[];
  /** The field that holds the whole body. If present, `body` is empty. */
  readonly whole?: WholeBody;
  /** The kind of request body, derived from the fields. */
  readonly carries: Carries;
  /** The id of the request's type, as in `App.types`; absent if it has no name. */
  readonly type?: string;
}

/** The kind of a request body. A `stream` is passed to a mount's handler without buffering. */
export type Carries = "nothing" | "json" | "raw" | "form" | "multipart" | "stream";

export interface WholeBody {
  readonly property: string;
  readonly optional: boolean;
  /** The JSON type; absent for raw bytes. */
  readonly schema?: Schema;
  /** Its doc comment; absent if it has none. */
  readonly doc?: string;
}

export function bodySchemas({ body, whole }: Pick<RequestShape, "body" | "whole">): readonly Schema[] {
  return [...body.map((field) => field.schema), ...(whole?.schema === undefined ? [] : [whole.schema])];
}
