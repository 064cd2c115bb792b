import type { Span } from "./diagnostic.ts";

/** Where a declaration lives: enough to import it and to point at it. */
export interface DeclarationRef {
  /** Path of the module relative to the application's root, with forward slashes. */
  readonly module: string;
  /** The `const` that holds it. */
  readonly variable: string;
  readonly exported: boolean;
  readonly at: Span;
}
