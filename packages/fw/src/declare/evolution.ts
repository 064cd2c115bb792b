import type { Json } from "./binding.ts";

/**
 * Rules for data of an older version of the application. A rule applies only to a field that does not fit the type: it
 * is missing, or holds another type. Fields are those of the top level.
 */
export interface Evolution<T, Old, Except extends string = never> {
  /** The earlier names of fields, by field: `{ total: "amount" }`. */
  readonly renamed?: { readonly [P in Exclude<Fields<T>, Except>]?: string };
  /** The value of a field, or a function that makes it from the stored data: `{ currency: "EUR" }`. */
  readonly upgrade?: { readonly [P in Exclude<Fields<T>, Except>]?: Value<T, P> | ((old: Old) => Value<T, P>) };
}

/** The names of fields in any alternative of a union. */
type Fields<T> = T extends unknown ? keyof T & string : never;

type Value<T, P extends string> = T extends unknown ? (P extends keyof T ? Exclude<T[P], undefined> : never) : never;

/** Data as it is stored, whatever its type was. */
export interface OldData {
  readonly [field: string]: unknown;
}

/** A message as it is stored, as JSON: a date is a string. */
export interface OldMessage {
  readonly [field: string]: Json | bigint | undefined;
}
