import type { DeclarationRef, Package } from "../model/app.ts";
import type { Auth } from "../model/auth.ts";

/** What a package declares about who may sign in, and what it keeps secret. Each part is absent where there is none. */
export interface GraphAuth {
  readonly auth?: readonly GraphProviders[];
  readonly roles?: readonly GraphName[];
  readonly secrets?: readonly GraphName[];
}

interface GraphProviders {
  /** As `user.provider` has them. */
  readonly providers: readonly ("social" | "email")[];
  /** `module:line` of the declaration. */
  readonly at: string;
}

interface GraphName {
  readonly name: string;
  /** `module:line` of the declaration. */
  readonly at: string;
}

export function authOf({ auths, roles, secrets }: Package): GraphAuth {
  return {
    ...(auths === undefined ? {} : { auth: auths.map(providers) }),
    ...(roles === undefined ? {} : { roles: roles.map(named) }),
    ...(secrets === undefined ? {} : { secrets: secrets.map(named) }),
  };
}

function providers({ declaration, social, password }: Auth): GraphProviders {
  return {
    providers: [...(social ? (["social"] as const) : []), ...(password ? (["email"] as const) : [])],
    at: placeOf(declaration),
  };
}

function named({ name, declaration }: { readonly name: string; readonly declaration: DeclarationRef }): GraphName {
  return { name, at: placeOf(declaration) };
}

function placeOf({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}

/** One line each. */
export function authLines({ auth = [], roles = [], secrets = [] }: GraphAuth): string[] {
  return [
    ...auth.map(({ providers, at }) => `  sign-in by ${providers.join(", ")}  ${at}`),
    ...roles.map(({ name, at }) => `  role ${name}  ${at}`),
    ...secrets.map(({ name, at }) => `  secret ${name}  ${at}`),
  ];
}
