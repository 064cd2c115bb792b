import { bearerToken, isAccessToken } from "../access/bearer.ts";
import { credentialsHeader, forwardedSessionId } from "../access/service-call.ts";
import type { Bundle } from "../bundle.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { readSessionCookie } from "./cookie.ts";
import { readCredentials, parseCredentials, type Credentials } from "./authenticator-credentials.ts";

/** The credential of a request: the id of a session, an access token, or the input of an authenticator. */
export type Claim =
  | { readonly by: "session"; readonly id: string }
  | { readonly by: "token"; readonly id: string }
  | { readonly by: "authenticator"; readonly credentials: Credentials };

/** The parts of a request that can hold credentials. */
export interface ClaimRequest {
  readonly app: { readonly bundle: ClaimSources };
  readonly exchange: Pick<Exchange, "header" | "rawHeaders">;
  readonly query: string;
  readonly caller: string | undefined;
  readonly secure: boolean;
}

/** The parts of a bundle that determine which credentials requests may have. */
export type ClaimSources = Pick<Bundle, "auth" | "authenticators">;

/**
 * Returns a request's credential: for a service's call, the forwarded one; otherwise an access token, an
 * authenticator's input or the id in a session cookie, in this order. An invalid credential does not fall back to the
 * cookie, because programs with credentials are exempt from the cross-site check.
 */
export function claimOf(request: ClaimRequest): Claim | undefined {
  if (request.caller !== undefined) return forwardedClaim(request);
  const token = accessToken(request);
  if (token !== undefined) return { by: "token", id: token };
  const credentials = credentialsIn(request);
  if (credentials !== undefined) return { by: "authenticator", credentials };
  const cookie = request.exchange.header("cookie");
  const id = cookie === undefined ? undefined : readSessionCookie(cookie, request.secure);
  return id === undefined ? undefined : { by: "session", id };
}

/**
 * Returns the access token of a request, valid or not; undefined if it has none or the application has no access
 * tokens.
 */
function accessToken({ app, exchange }: Pick<ClaimRequest, "app" | "exchange">): string | undefined {
  if (app.bundle.auth?.tokens !== true) return undefined;
  const token = bearerToken(exchange);
  return token !== undefined && isAccessToken(token) ? token : undefined;
}

/** True for credentials that browsers never send automatically, so no other site can have sent the request. */
export function isByProgram(claim: Claim | undefined): boolean {
  return claim?.by === "token" || (claim?.by === "authenticator" && !claim.credentials.isAmbient);
}

/**
 * Reads the credential that a calling service forwards: a session or token in one header, an authenticator's input in
 * another.
 */
function forwardedClaim({ exchange }: ClaimRequest): Claim | undefined {
  const id = forwardedSessionId(exchange);
  if (id !== undefined) return { by: isAccessToken(id) ? "token" : "session", id };
  const text = exchange.header(credentialsHeader);
  return text === undefined ? undefined : { by: "authenticator", credentials: parseCredentials(text) };
}

function credentialsIn({ app, exchange, query }: ClaimRequest): Credentials | undefined {
  const { authenticators } = app.bundle;
  return authenticators && readCredentials(authenticators, exchange, query);
}
