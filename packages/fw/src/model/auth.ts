import type { DeclarationBase } from "./declaration-ref.ts";
import type { RequestShape } from "./request-shape.ts";

/** An Auth declaration. Where an application has several, sessions come from the providers of any. */
export interface Auth extends DeclarationBase<"auth"> {
  readonly social: boolean;
  readonly password: boolean;
  /** Present where it has access tokens. */
  readonly tokens?: true;
  /** Present where people manage their own accounts. */
  readonly account?: true;
  /** Present where people create accounts. */
  readonly signUp?: true;
  /** The path of a style sheet for the pages about signing in. */
  readonly style?: string;
}

/** An Authenticator declaration. */
export interface Authenticator extends DeclarationBase<"authenticator"> {
  /** The headers, cookies and fields of a query that it reads. */
  readonly request: RequestShape;
}

/** Lists the credentials that it reads, such as `header X-Api-Key`. */
export function credentialsOf({ request }: Authenticator): readonly string[] {
  return request.bound.map(({ source, wire }) => `${source} ${wire}`);
}

/** A Policy, RequireRole or RequireMember declaration. */
export interface Policy extends DeclarationBase<"policy"> {
  /** The names of the roles of a RequireRole, in source order. */
  readonly roles?: readonly string[];
  /** The name of the Tenant of a RequireMember. */
  readonly tenant?: string;
  /** The names of the roles of a RequireMember in its tenant; absent if every member is admitted. */
  readonly memberRoles?: readonly string[];
  /** The properties of the request that a Policy reads, in the order of its type. */
  readonly fields?: readonly string[];
}
