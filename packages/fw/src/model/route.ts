import type { DeclarationKey } from "./declaration-ref.ts";

/** A segment of a pattern: a literal, or `{name}`. */
export type Segment = { readonly literal: string } | { readonly param: string };

/** `"GET /orders/{id}"`, parsed. */
export interface Route {
  /** The declared text, used as a label in logs and metrics. */
  readonly pattern: string;
  readonly method: string;
  readonly segments: readonly Segment[];
}

export interface RouteSettings {
  /** True if the route requires a user, through `signIn` or a policy. */
  readonly signIn: boolean;
  /** The constant that holds the policy. */
  readonly allow?: DeclarationKey;
  readonly private: boolean;
  /** How long shared caches may store responses, in whole seconds; absent if they must not. */
  readonly maxAge?: number;
  /** The success status, if it differs from the default. */
  readonly status?: number;
  /** True for a page that handles invalid requests itself. */
  readonly invalid?: true;
  /** True for a page whose handler runs once per form submission. */
  readonly once?: true;
  readonly live?: true;
  /** The maximum size of a request body in bytes; absent for the default. */
  readonly maxBody?: number;
}
