import { isObject } from "../../../lib/record-in.ts";
import type * as OAuth from "oauth4webapi";
import { Refusal } from "../../command.ts";
import type { ProviderNames } from "./provider-sessions.ts";
import { isLoopback, type SocialSettings } from "./settings.ts";

/** Timeout for each response of the provider, in milliseconds. */
const answerMs = 10_000;

/** The lifetime of the provider's cached metadata, in milliseconds. */
const metadataMs = 3_600_000;

/** The tolerated difference of the provider's clock, in seconds. */
const clockToleranceSeconds = 30;

/** The maximum length of a subject in OpenID Connect, in characters. Also limits session ids. */
const subjectCharacters = 255;

/** The maximum age of a logout token in seconds, even if it expires later. */
const logoutSeconds = 600;

/** The event that marks a JWT as a logout token. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** A user, as described in a verified response of the provider. */
export interface SocialIdentity {
  /** The provider's own id of the user, which never changes. */
  readonly subject: string;
  readonly email: string;
  /** "" if the provider sends no name. */
  readonly name: string;
  /** The user's session at the provider, if it names sessions. */
  readonly session?: string;
  /** The time at which the provider issued the ID token, in seconds since 1970. */
  readonly signedIn: number;
}

/** The content of a verified logout token from the provider. */
export interface ProviderLogout extends ProviderNames {
  /** The token's own identifier. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly issued: number;
  /** The time after which the token is too old to be accepted again. */
  readonly expires: Date;
}

/** The state of a browser between the start of a sign-in and the provider's response. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier, whose hash the provider receives first. */
  readonly verifier: string;
  readonly redirect: string;
}

/** Thrown if the response or the account does not allow a sign-in. The message is for operators. */
export class SignInRefused extends Error {}

/** Thrown if the provider sent no usable response. The message is for operators. */
export class ProviderUnreachable extends Error {}

type Library = typeof OAuth;

/** A variable, so that bundlers do not include the package. */
const packageName = "oauth4webapi";

/** Loads the OAuth library, or throws a Refusal with the command that installs it. */
export async function loadLibrary(): Promise<Library> {
  try {
    return (await import(packageName)) as Library;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Refusal(
      "FW_OIDC_ISSUER needs the package oauth4webapi, which is not installed: npm install oauth4webapi@3",
    );
  }
}

/** Signs users in with an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class OpenIdClient {
  readonly #library: Library;
  readonly #settings: SocialSettings;
  readonly #client: OAuth.Client;
  #metadata: { readonly server: Promise<OAuth.AuthorizationServer>; readonly until: number } | undefined;

  constructor(library: Library, settings: SocialSettings) {
    this.#library = library;
    this.#settings = settings;
    this.#client = { client_id: settings.clientId, [library.clockTolerance]: clockToleranceSeconds };
  }

  get issuer(): string {
    return this.#settings.issuer.href;
  }

  /** Starts a sign-in. The browser must visit `url` next. Throws ProviderUnreachable. */
  async begin(redirect: string): Promise<{ readonly url: string; readonly attempt: SignInAttempt }> {
    const { authorization_endpoint: endpoint } = await this.#server();
    const library = this.#library;
    const attempt = {
      state: library.generateRandomState(),
      nonce: library.generateRandomNonce(),
      verifier: library.generateRandomCodeVerifier(),
      redirect,
    };
    const url = this.#endpointURL(endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#settings.clientId,
      redirect_uri: redirect,
      scope: "openid email profile",
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, attempt };
  }

  /**
   * Verifies the response that the browser delivers, then exchanges its code for the user's identity. Throws
   * SignInRefused or ProviderUnreachable.
   */
  async finish(response: URLSearchParams, attempt: SignInAttempt): Promise<SocialIdentity> {
    const server = await this.#server();
    try {
      return await this.#finish(server, response, attempt);
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Returns the URL at which users sign out of the provider; undefined if it has none. */
  async signOutURL(returnTo: string): Promise<string | undefined> {
    const { end_session_endpoint: endpoint } = await this.#server();
    if (endpoint === undefined) return undefined;
    const url = this.#endpointURL(endpoint);
    url.searchParams.set("client_id", this.#settings.clientId);
    url.searchParams.set("post_logout_redirect_uri", returnTo);
    return url.href;
  }

  /** Verifies a logout token, which the provider sends directly. Throws SignInRefused or ProviderUnreachable. */
  async verifyLogout(token: string): Promise<ProviderLogout> {
    const server = await this.#server();
    try {
      await this.#verifySignature(server, token);
      return logoutOf(token, Math.floor(Date.now() / 1_000));
    } catch (error) {
      throw failureOf(error);
    }
  }

  /**
   * Verifies the signature, issuer, audience and expiry of a JWT as if it were a response in JWT form, because the
   * library has no function for logout tokens. Logout tokens use the keys and algorithms of ID tokens.
   */
  async #verifySignature(server: OAuth.AuthorizationServer, token: string): Promise<void> {
    const library = this.#library;
    const parameters = new URLSearchParams({ response: token });
    const signing = logoutServerOf(server);
    await library.validateJwtAuthResponse(signing, this.#client, parameters, library.skipStateCheck, this.#options());
  }

  async #finish(
    server: OAuth.AuthorizationServer,
    response: URLSearchParams,
    { state, nonce, verifier, redirect }: SignInAttempt,
  ): Promise<SocialIdentity> {
    const library = this.#library;
    const client = this.#client;
    const code = library.validateAuthResponse(server, client, response, state);
    const grant = await library.authorizationCodeGrantRequest(
      server,
      client,
      this.#authentication(server),
      code,
      redirect,
      verifier,
      this.#options(),
    );
    const tokens = await library.processAuthorizationCodeResponse(server, client, grant, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await library.validateApplicationLevelSignature(server, grant, this.#options());
    const claims = library.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new Error("the response has no ID token");
    const more = claims["email"] === undefined ? await this.#userInfo(server, tokens.access_token, claims.sub) : {};
    return this.#identityOf({ ...more, ...claims });
  }

  /** Fetches further claims, because providers may return the email address in a separate response. */
  async #userInfo(server: OAuth.AuthorizationServer, accessToken: string, subject: string): Promise<object> {
    if (server.userinfo_endpoint === undefined) return {};
    const library = this.#library;
    const response = await library.userInfoRequest(server, this.#client, accessToken, this.#options());
    return library.processUserInfoResponse(server, this.#client, subject, response);
  }

  #identityOf(claims: Readonly<Record<string, unknown>>): SocialIdentity {
    const { sub: subject, email, email_verified: isVerified, name } = claims;
    if (!isIdentifier(subject)) throw new Error("the subject is not a string of 1 to 255 characters");
    if (typeof email !== "string") throw new Error("the provider sent no email address");
    if (isVerified !== true && !(this.#settings.trustsEmail && isVerified === undefined))
      throw new Error("the provider has not verified the email address");
    const { sid, iat } = claims;
    return {
      subject,
      email,
      name: typeof name === "string" ? name : "",
      ...(isIdentifier(sid) && { session: sid }),
      signedIn: Number(iat),
    };
  }

  async #server(): Promise<OAuth.AuthorizationServer> {
    const now = performance.now();
    if (this.#metadata === undefined || now >= this.#metadata.until)
      this.#metadata = { server: this.#discover(), until: now + metadataMs };
    const current = this.#metadata;
    try {
      return await current.server;
    } catch (error) {
      if (this.#metadata === current) this.#metadata = undefined;
      throw new ProviderUnreachable(sentenceOf(error));
    }
  }

  async #discover(): Promise<OAuth.AuthorizationServer> {
    const { issuer } = this.#settings;
    const response = await this.#library.discoveryRequest(issuer, { algorithm: "oidc", ...this.#options() });
    const server = await this.#library.processDiscoveryResponse(issuer, response);
    this.#endpointURL(server.authorization_endpoint);
    return server;
  }

  /** Parses an endpoint's URL. Throws unless it uses https, or http on this machine if the provider also runs here. */
  #endpointURL(endpoint: string | undefined): URL {
    const url = new URL(endpoint ?? "");
    if (url.protocol === "https:" || (url.protocol === "http:" && this.#allowsHTTP && isLoopback(url))) return url;
    throw new Error(`the provider's metadata has the unsafe address ${url.href}`);
  }

  get #allowsHTTP(): boolean {
    return this.#settings.issuer.protocol === "http:";
  }

  #authentication(server: OAuth.AuthorizationServer): OAuth.ClientAuth {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const { clientSecret } = this.#settings;
    return methods.includes("client_secret_basic")
      ? this.#library.ClientSecretBasic(clientSecret)
      : this.#library.ClientSecretPost(clientSecret);
  }

  #options() {
    return { signal: AbortSignal.timeout(answerMs), [this.#library.allowInsecureRequests]: this.#allowsHTTP };
  }
}

/**
 * Server metadata in which the algorithms for ID tokens apply to every JWT. Memoized, because the library caches keys
 * by metadata object.
 */
const logoutServers = new WeakMap<OAuth.AuthorizationServer, OAuth.AuthorizationServer>();

function logoutServerOf(server: OAuth.AuthorizationServer): OAuth.AuthorizationServer {
  const existing = logoutServers.get(server);
  if (existing !== undefined) return existing;
  const { id_token_signing_alg_values_supported: algorithms = ["RS256"] } = server;
  const logoutServer = { ...server, authorization_signing_alg_values_supported: algorithms };
  logoutServers.set(server, logoutServer);
  return logoutServer;
}

/** Reads a logout token whose signature, issuer, audience and expiry are verified. */
function logoutOf(token: string, now: number): ProviderLogout {
  const [header, claims] = token.split(".", 2).map((part) => decodePart(part));
  const { typ: type = "logout+jwt" } = header ?? {};
  if (typeof type !== "string" || !/^(?:application\/)?(?:logout\+)?jwt$/i.test(type))
    throw new Error("it is a JWT of another type");
  const { iat, jti, sub, sid, events, nonce } = claims ?? {};
  if (!isObject(events) || !isObject(events[logoutEvent])) throw new Error("it has no sign-out event");
  if (nonce !== undefined) throw new Error("it has a nonce, so it is an ID token");
  if (!isIdentifier(jti)) throw new Error("it has no identifier");
  if (typeof iat !== "number" || iat > now + clockToleranceSeconds || iat <= now - logoutSeconds)
    throw new Error(`it was not issued within the last ${logoutSeconds} seconds`);
  if (sub === undefined && sid === undefined) throw new Error("it has no session and no subject");
  if (![sub, sid].every((each) => each === undefined || isIdentifier(each)))
    throw new Error("its session or subject is not a string of 1 to 255 characters");
  const expires = new Date((iat + logoutSeconds + clockToleranceSeconds) * 1_000);
  return {
    id: jti,
    issued: iat,
    expires,
    ...(isIdentifier(sub) && { subject: sub }),
    ...(isIdentifier(sid) && { session: sid }),
  };
}

function decodePart(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Readonly<Record<string, unknown>>;
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= subjectCharacters;
}

function failureOf(error: unknown): Error {
  const sentence = sentenceOf(error);
  return isProviderFailure(error) ? new ProviderUnreachable(sentence) : new SignInRefused(sentence);
}

/** True if no response arrived or the response reports a failure of the provider itself. */
function isProviderFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The library's errors have the response as their cause or, if it was JSON, the `status`.
  const { status = 0 } = (error.cause instanceof Response ? error.cause : error) as { readonly status?: number };
  if (status >= 500 || status === 429) return true;
  return error.name === "TimeoutError" || (error instanceof TypeError && error.message === "fetch failed");
}

function sentenceOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return `${message ?? String(error)}${reason}`;
}
