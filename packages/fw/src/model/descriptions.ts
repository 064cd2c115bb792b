import type { Span } from "./diagnostic.ts";

/** Doc comments of declarations and types, for generated clients and documentation. */
export interface Descriptions {
  readonly about: AboutApp;
  /** Doc comments of declarations, by `declarationKey`. */
  readonly declarations: ReadonlyMap<string, string>;
  /** Named types by id, from `App.types` and from requests. */
  readonly types: ReadonlyMap<string, DescribedType>;
}

/** The application as described in package.json. */
export interface AboutApp {
  readonly version?: string;
  readonly description?: string;
}

export interface DescribedType {
  /** The location of the type's name in its declaration. */
  readonly at: Span;
  readonly doc?: string;
}
