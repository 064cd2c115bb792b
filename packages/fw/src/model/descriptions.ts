import type { Span } from "./diagnostic.ts";

/** Doc comments of declarations and types, to show to their users. */
export interface Descriptions {
  readonly about: AboutApp;
  /** Doc comments of declarations, by `declarationKey`. */
  readonly declarations: ReadonlyMap<string, string>;
  /** Named types, by their ids in `App.types` and of requests. */
  readonly types: ReadonlyMap<string, DescribedType>;
}

/** The application as described in package.json. */
export interface AboutApp {
  readonly version?: string;
  readonly description?: string;
}

export interface DescribedType {
  /** The location of its name in its declaration. */
  readonly at: Span;
  readonly doc?: string;
}
