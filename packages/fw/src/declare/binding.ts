import type { Blob } from "./blob.ts";

declare const path: unique symbol;
declare const query: unique symbol;
declare const form: unique symbol;
declare const int: unique symbol;
declare const int64: unique symbol;

/** A safe integer (spec: int). */
export type Int = number & { readonly [int]?: never };
/** A 64-bit integer (spec: int64). */
export type Int64 = bigint & { readonly [int64]?: never };
/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

type Scalar = string | boolean | number | bigint;

/** A `{name}` segment. `Path<Int, "post_id">` binds another name than the property's. */
export type Path<T extends Scalar = string, N extends string = ""> = T & { readonly [path]?: N };
/** A query parameter; `Query<string[]>` receives every value of a repeated one. */
export type Query<T extends Scalar | string[] = string, N extends string = ""> = T & { readonly [query]?: N };
/** A form field; `Form<Blob>` is a file part and makes the request multipart. */
export type Form<T extends Scalar | string[] | Blob = string, N extends string = ""> = T & { readonly [form]?: N };
