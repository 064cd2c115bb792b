import type { Blob } from "./blob.ts";

declare const path: unique symbol;
declare const query: unique symbol;
declare const form: unique symbol;
declare const header: unique symbol;
declare const cookie: unique symbol;
declare const body: unique symbol;
declare const int: unique symbol;
declare const int64: unique symbol;
declare const id: unique symbol;
declare const index: unique symbol;
declare const transient: unique symbol;
declare const unique: unique symbol;
declare const ref: unique symbol;
declare const search: unique symbol;
declare const minLength: unique symbol;
declare const maxLength: unique symbol;
declare const pattern: unique symbol;
declare const email: unique symbol;
declare const url: unique symbol;
declare const min: unique symbol;
declare const max: unique symbol;
declare const minItems: unique symbol;
declare const maxItems: unique symbol;

/** A safe integer, -(2^53-1) to 2^53-1. Assignable from `number`. */
export type Int = number & { readonly [int]?: never };

/** A 64-bit integer, -2^63 to 2^63-1: a bigint in code, a number in JSON. */
export type Int64 = bigint & { readonly [int64]?: never };

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The id of an entity's document: a string field, exactly one per type. `create` generates it if omitted. */
export type ID = string & { readonly [id]?: never };

/** The types of values that can be indexed. */
export type Indexable = string | number | bigint | boolean | Date;

/**
 * A field that queries can filter and sort by: `status: Index<"open" | "paid">`. `Index<string[]>` indexes each
 * element, for `where(field, "contains", element)`.
 */
export type Index<T extends Indexable | readonly Indexable[]> = T & { readonly [index]?: T };

/**
 * An `Index` field with unique values: `email: Unique<string>`. Writing a value that another document has throws a 409,
 * recognized by `isTaken(error)`. Any number of documents may contain `null`.
 */
export type Unique<T extends Indexable> = T & { readonly [index]?: T } & { readonly [unique]?: never };

/**
 * The id of another document: `customer: Ref<Customer>`. The type determines the entity, so exactly one entity must
 * have that type. Reads with `with` also return the document. `Index<Ref<Customer>>` can be queried, and `Ref<Tag>[]`
 * is a list of ids.
 */
export type Ref<T extends object> = string & { readonly [ref]?: T };

/**
 * A string that `search(text)` finds by its words: `title: Search<string>`. Intended for names and short texts: all
 * `Search` fields of a document together may have at most 1,000 words and word prefixes, which is about 200 different
 * words.
 */
export type Search<T extends string | readonly string[]> = T & { readonly [search]?: never };

/** A field that is never stored, so documents are read without it. */
export type Transient<T> = T & { readonly [transient]?: never };

/** The name of the `ID` field of an entity's type. */
export type IDKey<T> = KeyMarked<T, typeof id>;
/** The names of the `Index` fields of an entity's type. */
type IndexKey<T> = KeyMarked<T, typeof index>;
/** The names of the `Transient` fields of an entity's type. */
export type TransientKey<T> = KeyMarked<T, typeof transient>;

/** The names of the `Search` fields of an entity's type. */
export type SearchKey<T> = KeyMarked<T, typeof search>;

/** The names of the fields that hold a `Ref`, or a list of them. */
export type RefKey<T> = {
  [P in keyof T]-?: [RefType<T[P]>] extends [never] ? never : P;
}[keyof T] &
  string;

/** The document type of a `Ref`, or of each `Ref` in a list. */
export type RefType<V> = NonNullable<V> extends readonly (infer Element)[] ? RefOf<Element> : RefOf<V>;

type RefOf<V> = [NonNullable<V>] extends [never]
  ? never
  : typeof ref extends keyof NonNullable<V>
    ? NonNullable<NonNullable<V>[typeof ref]>
    : never;

/**
 * The names of the fields with the marker `Mark`. Skips fields of type `any`, which have every key; `fw check` refuses
 * them.
 */
type KeyMarked<T, Mark extends symbol> = {
  [P in keyof T]-?: 0 extends 1 & T[P]
    ? never
    : [NonNullable<T[P]>] extends [never]
      ? never
      : Mark extends keyof NonNullable<T[P]>
        ? P
        : never;
}[keyof T] &
  string;

/** The value type of an `Index` field, without its marker. */
type IndexValue<V> = typeof index extends keyof NonNullable<V>
  ? NonNullable<NonNullable<V>[typeof index]> | Extract<V, null>
  : never;

/** The names of the fields that queries can use: `Index` fields and the id. */
export type QueryKey<T> = IndexKey<T> | IDKey<T>;

/** The type of the values that queries compare with a field of type `V`. */
export type QueryValue<V> = typeof id extends keyof NonNullable<V> ? string : IndexValue<V>;

/** A string with at least `Characters` characters (Unicode code points): `string & MinLength<1>`. */
export type MinLength<Characters extends number> = { readonly [minLength]?: Characters };

/** A string with at most `Characters` characters (Unicode code points): `string & MaxLength<200>`. */
export type MaxLength<Characters extends number> = { readonly [maxLength]?: Characters };

/**
 * A string that matches the pattern from start to end: `string & Pattern<"[a-z0-9]+(?:-[a-z0-9]+)*">`. Patterns match
 * in linear time; `fw check` refuses constructs that cannot, such as lookaheads and backreferences.
 */
export type Pattern<Expression extends string> = { readonly [pattern]?: Expression };

/**
 * An email address of up to 254 characters, by the rule of HTML's `<input type=email>` plus a dot in the domain:
 * `string & Email`.
 */
export type Email = { readonly [email]?: never };

/** An absolute http or https URL: `string & Url`. */
export type Url = { readonly [url]?: never };

/** A number greater than or equal to `Least`: `Int & Min<1>`. */
export type Min<Least extends number> = { readonly [min]?: Least };

/** A number less than or equal to `Most`: `Int & Max<100>`. */
export type Max<Most extends number> = { readonly [max]?: Most };

/** An array with at least `Items` items: `string[] & MinItems<1>`. */
export type MinItems<Items extends number> = { readonly [minItems]?: Items };

/** An array with at most `Items` items: `string[] & MaxItems<20>`. */
export type MaxItems<Items extends number> = { readonly [maxItems]?: Items };

/** The types of single values in path segments, query parameters, form fields, headers and cookies. */
type Scalar = string | boolean | number | bigint;

/**
 * A `{name}` segment of the route: `Path` (a string), `Path<Int>`, `Path<"asc" | "desc">`. The second type argument
 * names the segment if it differs from the property: `Path<Int, "post_id">`.
 */
export type Path<T extends Scalar = string, Name extends string = ""> = T & { readonly [path]?: Name };

/**
 * A query parameter: `page?: Query<Int>`. `Query<string[]>` and `Query<Int[]>` receive every value of a repeated
 * parameter. Without any value, an optional list is absent and a required one is empty.
 */
export type Query<T extends Scalar | readonly Scalar[] = string, Name extends string = ""> = T & {
  readonly [query]?: Name;
};

/** A form field: `title: Form`. `Form<Blob>` is an uploaded file and makes the request multipart. */
export type Form<T extends Scalar | readonly Scalar[] | Blob = string, Name extends string = ""> = T & {
  readonly [form]?: Name;
};

/**
 * A request header: `signature: Header<string, "X-Signature">`. `Header<string[]>` receives every element of a
 * comma-separated header.
 */
export type Header<T extends Scalar | readonly Scalar[] = string, Name extends string = ""> = T & {
  readonly [header]?: Name;
};

/** A request cookie other than fw's own: `theme?: Cookie<"light" | "dark">`. */
export type Cookie<T extends Scalar = string, Name extends string = ""> = T & { readonly [cookie]?: Name };

/** True for the type of a header or cookie. */
export type IsHeaderOrCookie<V> = typeof header extends keyof NonNullable<V>
  ? true
  : typeof cookie extends keyof NonNullable<V>
    ? true
    : false;

/**
 * The whole JSON body as one field, for arrays, unions and single values: `events: Body<Event[]>`. No other field of
 * the request may come from the body.
 */
export type Body<T> = (T & { readonly [body]?: never }) | Extract<T, null>;

interface PathMarker<Name = unknown> {
  readonly [path]?: Name;
}
interface QueryMarker {
  readonly [query]?: unknown;
}
interface HeaderMarker {
  readonly [header]?: unknown;
}
interface CookieMarker {
  readonly [cookie]?: unknown;
}
interface FormMarker {
  readonly [form]?: unknown;
}
interface FieldMarker extends PathMarker, QueryMarker, HeaderMarker, CookieMarker, FormMarker {}

type Nothing = null | undefined;

/**
 * Describes what field `P` of type `V` requires of its route: `path <name>`, `file <field>` for a file in a form,
 * `loose <field>` for a file elsewhere, `body <field>`, or `never` for other bound fields and for fields of type
 * `never`. TypeScript evaluates it for every field of every request, so common cases come first, and markers are
 * interfaces, which need no instantiation.
 */
export type FieldFact<V, P extends string> = [V] extends [FieldMarker | Nothing]
  ? MarkedFact<V, P>
  : [V] extends [Blob | Nothing]
    ? `loose ${P}`
    : `body ${P}`;

type MarkedFact<V, P extends string> = [V] extends [PathMarker | Nothing]
  ? PathFact<V, P>
  : [V] extends [QueryMarker | HeaderMarker | CookieMarker | Nothing]
    ? never
    : [V] extends [FormMarker | Nothing]
      ? [V] extends [Blob | Nothing]
        ? `file ${P}`
        : never
      : [V] extends [Blob | Nothing]
        ? `loose ${P}`
        : `body ${P}`;

/** A path field must be a scalar, because a type without members is assignable to any marker. */
type PathFact<V, P extends string> = [NonNullable<V>] extends [never]
  ? [V] extends [undefined]
    ? never
    : `body ${P}`
  : [V] extends [PathMarker<infer Name> | Nothing]
    ? [V] extends [Scalar | Nothing]
      ? `path ${NonNullable<Name> extends "" ? P : NonNullable<Name> & string}`
      : `body ${P}`
    : never;
