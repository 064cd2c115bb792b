import type { Json } from "./binding.ts";

/**
 * Rules for data from older versions of the application. A rule applies only to a top-level field that does not match
 * the type, because it is missing or has another type.
 */
export interface Evolution<T, Old, Except extends string = never> {
  /** The earlier name of each field: `{ total: "amount" }`. */
  readonly renamed?: { readonly [P in Exclude<Fields<T>, Except>]?: string };
  /** The value of each field, or a function that computes it from the stored data: `{ currency: "EUR" }`. */
  readonly upgrade?: { readonly [P in Exclude<Fields<T>, Except>]?: Value<T, P> | ((old: Old) => Value<T, P>) };
}

/** The names of the fields in any member of a union. */
type Fields<T> = T extends unknown ? keyof T & string : never;

type Value<T, P extends string> = T extends unknown ? (P extends keyof T ? Exclude<T[P], undefined> : never) : never;

/** Stored data of any earlier type. */
export interface OldData {
  readonly [field: string]: unknown;
}

/** A stored message as JSON, where dates are strings. */
export interface OldMessage {
  readonly [field: string]: Json | bigint | undefined;
}
