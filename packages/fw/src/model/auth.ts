import type { DeclarationBase } from "./declaration-ref.ts";
import type { RequestShape } from "./request-shape.ts";

/** An Auth declaration. If an application has several, sessions may come from the providers of any of them. */
export interface Auth extends DeclarationBase<"auth"> {
  readonly social: boolean;
  readonly password: boolean;
  /** Present if it has access tokens. */
  readonly tokens?: true;
  /** Present if users manage their own accounts. */
  readonly account?: true;
  /** Present if users can create accounts. */
  readonly signUp?: true;
  /** The path of a stylesheet for the sign-in and account pages. */
  readonly style?: string;
}

export interface Authenticator extends DeclarationBase<"authenticator"> {
  /** The headers, cookies and query parameters that it reads. */
  readonly request: RequestShape;
}

/** Lists the request values that an authenticator reads, such as `header X-Api-Key`. */
export function credentialsOf({ request }: Authenticator): readonly string[] {
  return request.bound.map(({ source, wire }) => `${source} ${wire}`);
}

export interface Policy extends DeclarationBase<"policy"> {
  /** The names of the roles of a RequireRole, in source order. */
  readonly roles?: readonly string[];
  /** The name of the Tenant of a RequireMember. */
  readonly tenant?: string;
  /** The names of a RequireMember's roles in its tenant; absent if it admits every member. */
  readonly memberRoles?: readonly string[];
  /** The request properties that a Policy reads, in the order of the type's fields. */
  readonly fields?: readonly string[];
}
