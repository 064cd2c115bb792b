/** One segment of a pattern: a literal, or `{name}`. */
export type Segment = { readonly literal: string } | { readonly param: string };

/** `"GET /orders/{id}"`, parsed. */
export interface Route {
  /** The declared text, the label of logs and metrics. */
  readonly pattern: string;
  readonly method: string;
  readonly segments: readonly Segment[];
}

/** Settings of one route; `allow` names the policy declaration. */
export interface RouteSettings {
  readonly signIn: boolean;
  readonly allow?: string;
  readonly private: boolean;
  /** Whole seconds. */
  readonly maxAge?: number;
}
