import type { DeclarationKey } from "./declaration-ref.ts";

/** One segment of a pattern: a literal, or `{name}`. */
export type Segment = { readonly literal: string } | { readonly param: string };

/** `"GET /orders/{id}"`, parsed. */
export interface Route {
  /** The declared text, the label of logs and metrics. */
  readonly pattern: string;
  readonly method: string;
  readonly segments: readonly Segment[];
}

/** Settings of one route. */
export interface RouteSettings {
  /** Also true where there is a policy. */
  readonly signIn: boolean;
  /** The constant that holds the policy. */
  readonly allow?: DeclarationKey;
  readonly private: boolean;
  /** Whole seconds. */
  readonly maxAge?: number;
  /** The success status, if it differs from the default. */
  readonly status?: number;
  /** True for a page that answers requests with problems itself. */
  readonly invalid?: true;
  /** True for a page that runs once for each submit of a form. */
  readonly once?: true;
  /** True for a live page. */
  readonly live?: true;
  /** Bytes of a request's body, where the usual bound does not fit. */
  readonly maxBody?: number;
}
