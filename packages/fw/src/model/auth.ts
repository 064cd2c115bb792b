import type { DeclarationRef } from "./declaration-ref.ts";
import type { RequestShape } from "./request-shape.ts";

/** An Auth declaration. Where an application has several, sessions come from the providers of any. */
export interface Auth {
  readonly kind: "auth";
  readonly declaration: DeclarationRef;
  readonly social: boolean;
  readonly password: boolean;
  /** Present where it has access tokens. */
  readonly tokens?: true;
}

/** An Authenticator declaration. */
export interface Authenticator {
  readonly kind: "authenticator";
  readonly declaration: DeclarationRef;
  /** The headers, cookies and fields of a query that it reads. */
  readonly request: RequestShape;
}

/** What it reads, such as `header X-Api-Key`. */
export function credentialsOf({ request }: Authenticator): readonly string[] {
  return request.bound.map(({ source, wire }) => `${source} ${wire}`);
}

/** A Role declaration. */
export interface Role {
  readonly kind: "role";
  readonly declaration: DeclarationRef;
  readonly name: string;
}

/** A Policy or RequireRole declaration. */
export interface Policy {
  readonly kind: "policy";
  readonly declaration: DeclarationRef;
  /** The names of the roles of a RequireRole, in source order. */
  readonly roles?: readonly string[];
}

/** A Secret declaration. */
export interface Secret {
  readonly kind: "secret";
  readonly declaration: DeclarationRef;
  readonly name: string;
}
