import type { Span } from "./diagnostic.ts";

/** The `const` that holds a declaration. */
export interface DeclarationKey {
  /** Path of the module relative to the application's root, with forward slashes. */
  readonly module: string;
  readonly variable: string;
}

/** Where a declaration lives: enough to import it and to point at it. */
export interface DeclarationRef extends DeclarationKey {
  readonly exported: boolean;
  readonly at: Span;
}

/** What there is of every declaration. */
export interface Declared<Kind extends string> {
  readonly kind: Kind;
  readonly declaration: DeclarationRef;
}

/** What there is of a declaration with a name. */
export interface Named<Kind extends string> extends Declared<Kind> {
  readonly name: string;
}
