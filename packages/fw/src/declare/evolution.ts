import type { Json } from "./binding.ts";

/**
 * Rules for data from older versions of the application. A rule applies only to a top-level field that does not match
 * the type, because it is missing or has another type.
 */
export interface Evolution<T, Old, Except extends string = never> {
  /** The earlier names of fields, by field: `{ total: "amount" }`. */
  readonly renamed?: { readonly [P in Exclude<Fields<T>, Except>]?: string };
  /** The value of a field, or a function that computes it from the stored data: `{ currency: "EUR" }`. */
  readonly upgrade?: { readonly [P in Exclude<Fields<T>, Except>]?: Value<T, P> | ((old: Old) => Value<T, P>) };
}

/** The names of fields in any alternative of a union. */
type Fields<T> = T extends unknown ? keyof T & string : never;

type Value<T, P extends string> = T extends unknown ? (P extends keyof T ? Exclude<T[P], undefined> : never) : never;

/** Stored data, whatever its type was. */
export interface OldData {
  readonly [field: string]: unknown;
}

/** A stored message as JSON, in which a date is a string. */
export interface OldMessage {
  readonly [field: string]: Json | bigint | undefined;
}
