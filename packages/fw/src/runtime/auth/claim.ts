import { bearerToken, isAccessToken } from "../access/bearer.ts";
import { credentialsHeader, forwardedSessionId } from "../access/service-call.ts";
import type { Bundle } from "../bundle.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { readSessionCookie } from "./cookie.ts";
import { broughtCredentials, carriedCredentials, type Credentials } from "./authenticator-credentials.ts";

/** What a request brings that speaks for somebody: the id of a session, an access token, or what an authenticator knows somebody by. */
export type Claim =
  | { readonly by: "session"; readonly id: string }
  | { readonly by: "token"; readonly id: string }
  | { readonly by: "authenticator"; readonly credentials: Credentials };

/** A request as far as it says who sends it. */
export interface Claiming {
  readonly app: { readonly bundle: Claimable };
  readonly exchange: Pick<Exchange, "header" | "rawHeaders">;
  readonly query: string;
  readonly caller: string | undefined;
  readonly secure: boolean;
}

/** Of a bundle, what requests may bring. */
export type Claimable = Pick<Bundle, "auth" | "authenticators">;

/**
 * What a request brings that speaks for somebody, the first of these: of another service what it hands on, an access token, what an
 * authenticator reads, the id in a browser's cookie. What is found counts, live or not, and nothing beside it: a cookie does not speak
 * where a program has shown its credentials, so that whose page sent the request does not matter.
 */
export function claimOf(request: Claiming): Claim | undefined {
  if (request.caller !== undefined) return forwardedClaim(request);
  const token = accessToken(request);
  if (token !== undefined) return { by: "token", id: token };
  const credentials = credentialsIn(request);
  if (credentials !== undefined) return { by: "authenticator", credentials };
  const cookie = request.exchange.header("cookie");
  const id = cookie === undefined ? undefined : readSessionCookie(cookie, request.secure);
  return id === undefined ? undefined : { by: "session", id };
}

/** The access token that a request brings, live or not; undefined where the application declares none. */
function accessToken({ app, exchange }: Pick<Claiming, "app" | "exchange">): string | undefined {
  if (app.bundle.auth?.tokens !== true) return undefined;
  const token = bearerToken(exchange);
  return token !== undefined && isAccessToken(token) ? token : undefined;
}

/** True where a request brings credentials that no browser sends by itself, so that no other site can have sent it. */
export function isByProgram(claim: Claim | undefined): boolean {
  return claim?.by === "token" || (claim?.by === "authenticator" && !claim.credentials.isAmbient);
}

/** What a caller hands on of its visitor: a session or a token in one header, credentials in another. */
function forwardedClaim({ exchange }: Claiming): Claim | undefined {
  const id = forwardedSessionId(exchange);
  if (id !== undefined) return { by: isAccessToken(id) ? "token" : "session", id };
  const text = exchange.header(credentialsHeader);
  return text === undefined ? undefined : { by: "authenticator", credentials: carriedCredentials(text) };
}

function credentialsIn({ app, exchange, query }: Claiming): Credentials | undefined {
  const { authenticators } = app.bundle;
  return authenticators && broughtCredentials(authenticators, exchange, query);
}
