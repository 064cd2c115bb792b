import type * as OAuth from "oauth4webapi";
import { Refusal } from "../../command.ts";
import { isLoopback, type SocialSettings } from "./settings.ts";

/** Milliseconds for each response of the provider. */
const answerMs = 10_000;

/** Milliseconds for which the provider's metadata is reused. */
const metadataMs = 3_600_000;

/** Seconds by which the provider's clock may differ. */
const clockToleranceSeconds = 30;

/** The longest subject that OpenID Connect allows. */
const subjectCharacters = 255;

/** A person, as the provider describes them in a response that was verified. */
export interface SocialIdentity {
  /** The provider's own id of the person, which never changes. */
  readonly subject: string;
  readonly email: string;
  /** "" if the provider sends no name. */
  readonly name: string;
}

/** The state of a browser between the start of a sign-in and the provider's response. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE, whose hash the provider gets first. */
  readonly verifier: string;
  readonly redirect: string;
}

/** The response or the account cannot sign in; the message is for operators. */
export class SignInRefused extends Error {}

/** The provider gave no usable response; the message is for operators. */
export class ProviderUnreachable extends Error {}

type Library = typeof OAuth;

/** A variable, so that bundlers do not include the package. */
const packageName = "oauth4webapi";

/** Loads the application's OAuth library. Refuses with the command that installs it. */
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

/** Signs people in at an OpenID Connect provider: authorization code with PKCE, state and nonce. */
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

  /** Begins a sign-in; the browser goes to `url`. Fails with ProviderUnreachable. */
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
   * Verifies the response that the browser brought back, and everything that the provider answers to it. Fails with
   * SignInRefused, or with ProviderUnreachable.
   */
  async finish(response: URLSearchParams, attempt: SignInAttempt): Promise<SocialIdentity> {
    const server = await this.#server();
    try {
      return await this.#finish(server, response, attempt);
    } catch (error) {
      throw isNetworkFailure(error) ? new ProviderUnreachable(sentenceOf(error)) : new SignInRefused(sentenceOf(error));
    }
  }

  /** The address at which people sign out of the provider; undefined if it has none. */
  async signOutURL(returnTo: string): Promise<string | undefined> {
    const { end_session_endpoint: endpoint } = await this.#server();
    if (endpoint === undefined) return undefined;
    const url = this.#endpointURL(endpoint);
    url.searchParams.set("client_id", this.#settings.clientId);
    url.searchParams.set("post_logout_redirect_uri", returnTo);
    return url.href;
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

  /** Providers may put the address into a separate response. */
  async #userInfo(server: OAuth.AuthorizationServer, accessToken: string, subject: string): Promise<object> {
    if (server.userinfo_endpoint === undefined) return {};
    const library = this.#library;
    const response = await library.userInfoRequest(server, this.#client, accessToken, this.#options());
    return library.processUserInfoResponse(server, this.#client, subject, response);
  }

  #identityOf(claims: Readonly<Record<string, unknown>>): SocialIdentity {
    const { sub: subject, email, email_verified: isVerified, name } = claims;
    if (typeof subject !== "string" || subject === "" || subject.length > subjectCharacters)
      throw new Error("the subject is not a text of 1 to 255 characters");
    if (typeof email !== "string") throw new Error("the provider sent no email address");
    if (isVerified !== true && !(this.#settings.trustsEmail && isVerified === undefined))
      throw new Error("the provider has not verified the email address");
    return { subject, email, name: typeof name === "string" ? name : "" };
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

  /** Throws unless it is an https address, or one of the provider's own machine. */
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

/** True if no response arrived. */
function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || (error instanceof TypeError && error.message === "fetch failed");
}

function sentenceOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return `${message ?? String(error)}${reason}`;
}
