import type { DeclarationKey } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";

/** The subject at a position of a module; `at` is its whole range. */
export type Here =
  /** The name of a declaration: of the constant that holds it. */
  | ({ readonly kind: "declaration"; readonly at: Span } & DeclarationKey)
  /** The name of a template: of the site whose declaration has this key, and the names that it may be. */
  | { readonly kind: "template"; readonly at: Span; readonly site: string; readonly names: readonly string[] }
  /** The target of a redirect, with `{}` for each computed part. */
  | { readonly kind: "redirect"; readonly at: Span; readonly target: string }
  /** A route, and the names that its request binds to the path. */
  | { readonly kind: "route"; readonly at: Span; readonly params: readonly string[] };
