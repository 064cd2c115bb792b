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
declare const minLength: unique symbol;
declare const maxLength: unique symbol;
declare const pattern: unique symbol;
declare const email: unique symbol;
declare const url: unique symbol;
declare const min: unique symbol;
declare const max: unique symbol;
declare const minItems: unique symbol;
declare const maxItems: unique symbol;

/** A whole number that a double holds exactly: -(2^53-1) to 2^53-1. Plain numbers fit. */
export type Int = number & { readonly [int]?: never };

/** A 64-bit integer: -2^63 to 2^63-1, a bigint in code and a number in JSON. */
export type Int64 = bigint & { readonly [int64]?: never };

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The field that names an entity's document: a string, one a type. `create` makes it where it is left out. */
export type ID = string & { readonly [id]?: never };

/** What an index can hold. */
export type Indexable = string | number | bigint | boolean | Date;

/**
 * A field that queries may filter and order by: `status: Index<"open" | "paid">`. `Index<string[]>` has an entry for each
 * element, and `where(field, "contains", element)` finds it.
 */
export type Index<T extends Indexable | readonly Indexable[]> = T & { readonly [index]?: T };

/**
 * An `Index` field of which a value is one document's: `email: Unique<string>`. A write that would give a document another's value is
 * refused with a 409, for which `isTaken(error)` is true; `null` is anybody's.
 */
export type Unique<T extends Indexable> = T & { readonly [index]?: T } & { readonly [unique]?: never };

/** A field that is kept out of the stored document, and so is absent from what comes back. */
export type Transient<T> = T & { readonly [transient]?: never };

/** Name of the `ID` field of an entity's type. */
export type IDKey<T> = KeyMarked<T, typeof id>;
/** Names of the `Index` fields of an entity's type. */
type IndexKey<T> = KeyMarked<T, typeof index>;
/** Names of the `Transient` fields of an entity's type. */
export type TransientKey<T> = KeyMarked<T, typeof transient>;

type KeyMarked<T, Mark extends symbol> = {
  [P in keyof T]-?: [NonNullable<T[P]>] extends [never] ? never : Mark extends keyof NonNullable<T[P]> ? P : never;
}[keyof T] &
  string;

/** What an `Index` field holds, without its mark. */
type IndexValue<V> = typeof index extends keyof NonNullable<V>
  ? NonNullable<NonNullable<V>[typeof index]> | Extract<V, null>
  : never;

/** Names of the fields that queries may name: `Index` fields, and the id. */
export type QueryKey<T> = IndexKey<T> | IDKey<T>;

/** What queries compare such a field with. */
export type QueryValue<V> = typeof id extends keyof NonNullable<V> ? string : IndexValue<V>;

/** A text of at least so many characters: `string & MinLength<1>`. */
export type MinLength<Characters extends number> = { readonly [minLength]?: Characters };

/** A text of at most so many characters: `string & MaxLength<200>`. */
export type MaxLength<Characters extends number> = { readonly [maxLength]?: Characters };

/**
 * A text that is wholly of a regular expression: `string & Pattern<"[a-z0-9]+(?:-[a-z0-9]+)*">`. It is matched in one pass; what
 * cannot be, such as a look-ahead or a reference to a group, is refused before anything runs.
 */
export type Pattern<Expression extends string> = { readonly [pattern]?: Expression };

/** A text that is an email address, as forms of browsers take them: `string & Email`. */
export type Email = { readonly [email]?: never };

/** A text that is a URL of the web: `string & Url`. */
export type Url = { readonly [url]?: never };

/** A number from this one on: `Int & Min<1>`. */
export type Min<Least extends number> = { readonly [min]?: Least };

/** A number up to this one: `Int & Max<100>`. */
export type Max<Most extends number> = { readonly [max]?: Most };

/** A list of at least so many items: `string[] & MinItems<1>`. */
export type MinItems<Items extends number> = { readonly [minItems]?: Items };

/** A list of at most so many items: `string[] & MaxItems<20>`. */
export type MaxItems<Items extends number> = { readonly [maxItems]?: Items };

/** What one path segment, query parameter or form field can hold. */
type Scalar = string | boolean | number | bigint;

/**
 * A `{name}` segment of the route: `Path` (a string), `Path<Int>`, `Path<"asc" | "desc">`.
 * The segment is named as the property is, or as the second argument says: `Path<Int, "post_id">`.
 */
export type Path<T extends Scalar = string, Name extends string = ""> = T & { readonly [path]?: Name };

/**
 * A query parameter: `page?: Query<Int>`. `Query<string[]>` receives every value of a repeated one and is
 * absent, or empty where it is required, when there is none.
 */
export type Query<T extends Scalar | string[] = string, Name extends string = ""> = T & { readonly [query]?: Name };

/** A form field: `title: Form`. `Form<Blob>` is a file and makes the request multipart. */
export type Form<T extends Scalar | string[] | Blob = string, Name extends string = ""> = T & {
  readonly [form]?: Name;
};

/**
 * A header of the request: `signature: Header<string, "X-Signature">`. `Header<string[]>` receives every element of a
 * comma-separated one.
 */
export type Header<T extends Scalar | string[] = string, Name extends string = ""> = T & { readonly [header]?: Name };

/** A cookie of the application's own: `theme?: Cookie<"light" | "dark">`. */
export type Cookie<T extends Scalar = string, Name extends string = ""> = T & { readonly [cookie]?: Name };

/**
 * The whole JSON body in one field: `events: Body<Event[]>`, a list, a union or a single value. No other field is read from
 * the body beside it.
 */
export type Body<T> = (T & { readonly [body]?: never }) | Extract<T, null>;

/**
 * What a field `P` of type `F` asks of its route: `path <name>`, `file <field>` in a form, `loose <field>` for a file
 * elsewhere, `body <field>`, or nothing for another bound field, and for one that must be absent. A type without
 * members fits any marker, hence the test for a scalar.
 */
export type FieldFact<F, P extends string> = [F] extends [never]
  ? never
  : [NonNullable<F>] extends [never]
    ? `body ${P}`
    : MarkedFact<NonNullable<F>, P>;

type MarkedFact<F, P extends string> = [F] extends [{ readonly [path]?: infer Name }]
  ? [F] extends [Scalar]
    ? `path ${NonNullable<Name> extends "" ? P : NonNullable<Name> & string}`
    : `body ${P}`
  : [F] extends [{ readonly [query]?: unknown } | { readonly [header]?: unknown } | { readonly [cookie]?: unknown }]
    ? never
    : [F] extends [{ readonly [form]?: unknown }]
      ? [F] extends [Blob]
        ? `file ${P}`
        : never
      : [F] extends [Blob]
        ? `loose ${P}`
        : `body ${P}`;
