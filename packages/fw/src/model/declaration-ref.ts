import type { Span } from "./diagnostic.ts";

/** The `const` that holds a declaration. */
export interface DeclarationKey {
  /** Path of the module relative to the application's root, with forward slashes. */
  readonly module: string;
  readonly variable: string;
}

/** The location of a declaration, sufficient to import it and to point to it. */
export interface DeclarationRef extends DeclarationKey {
  readonly exported: boolean;
  readonly at: Span;
}

export interface DeclarationBase<Kind extends string> {
  readonly kind: Kind;
  readonly declaration: DeclarationRef;
}

export interface NamedDeclaration<Kind extends string> extends DeclarationBase<Kind> {
  readonly name: string;
}
