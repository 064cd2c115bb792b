import type { DeclarationKey } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";

/** The subject at a position in a module; `at` is its whole range. */
export type Here =
  /** A declaration, at the name of the constant that holds it. */
  | ({ readonly kind: "declaration"; readonly at: Span } & DeclarationKey)
  /** A template name, with the key of its site's declaration and the possible names. */
  | { readonly kind: "template"; readonly at: Span; readonly site: string; readonly names: readonly string[] }
  /** The target of a redirect, with `{}` for each computed part. */
  | { readonly kind: "redirect"; readonly at: Span; readonly target: string }
  /** A route, with the names that its request binds to the path. */
  | { readonly kind: "route"; readonly at: Span; readonly params: readonly string[] };
