import type { DeclarationRef } from "./app.ts";

/** An Auth declaration. Where an application has several, sessions come from the providers of any. */
export interface Auth {
  readonly declaration: DeclarationRef;
  readonly social: boolean;
  readonly password: boolean;
}

/** A Role declaration. */
export interface Role {
  readonly declaration: DeclarationRef;
  readonly name: string;
}

/** A Policy or RequireRole declaration. */
export interface Policy {
  readonly declaration: DeclarationRef;
  /** The names of the roles of a RequireRole, in source order. */
  readonly roles?: readonly string[];
}

/** A Secret declaration. */
export interface Secret {
  readonly declaration: DeclarationRef;
  readonly name: string;
}
