import { createHash, createHmac } from "node:crypto";
import type { Logger } from "../../../declare/context.ts";
import { cookieName } from "../../../lib/cookie-names.ts";
import { escapeHTML } from "../../../lib/html.ts";
import { openText, sealText } from "../../../lib/sealed-text.ts";
import { isAccountName, isAddress } from "../../../platform/account-fields.ts";
import type { Account, Accounts } from "../../../platform/accounts.ts";
import { isPlatformError } from "../../../platform/errors.ts";
import { readCookie, setCookie } from "../../../runtime/access/cookies.ts";
import { announceSignIn } from "../../../runtime/auth/announce.ts";
import { readSessionCookie, setSessionCookie } from "../../../runtime/auth/cookie.ts";
import { localPath } from "../../../runtime/auth/next.ts";
import { sessionDocumentId, Sessions } from "../../../runtime/auth/sessions.ts";
import { userOf } from "../../../runtime/auth/user.ts";
import { readBody } from "../../../runtime/body/body.ts";
import type { Request } from "../../../runtime/request.ts";
import { refuse } from "../../../runtime/response/error.ts";
import { conflicts, refusing } from "../../../runtime/response/refusing.ts";
import { htmlType, sendEmpty, sendText } from "../../../runtime/response/send.ts";
import type { ClientOf } from "../../../topology/client-address.ts";
import type { ServedPlatform } from "../../../topology/served-platform.ts";
import {
  type OpenIdClient,
  ProviderUnreachable,
  type SignInAttempt,
  SignInRefused,
  type SocialIdentity,
} from "./client.ts";
import { ProviderSessions } from "./provider-sessions.ts";

const prefix = "social-";

/** The cookie of a browser that is signing in at the provider. */
const attemptCookie = "fw_social";

/** Seconds from the start of a sign-in to the provider's response. */
const attemptSeconds = 600;

const startPath = "signin/social";
const responsePath = `${startPath}/callback`;
const signOutPath = `${startPath}/end`;
/** The path for logout tokens from the provider. */
const backChannelPath = `${startPath}/logout`;
/** The path that the provider's page loads in a frame. */
const frontChannelPath = `${startPath}/frontchannel`;

/** The maximum size of a form with a logout token, in bytes. */
const logoutBytes = 16_384;

export interface SocialSignInOptions {
  readonly client: OpenIdClient;
  readonly platform: ServedPlatform;
  readonly visitorOf: ClientOf;
  readonly log: Logger;
  /** Returns true if the application that is currently served declares the social provider. */
  readonly isDeclared: () => boolean;
}

interface StoredAttempt extends SignInAttempt {
  readonly issuer: string;
  /** The path to redirect to after the sign-in. */
  readonly next: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Signs users in with an OpenID Connect provider, in front of the services. A browser stores the state of its attempt
 * in a signed cookie, so that another machine can handle the provider's response.
 */
export class SocialSignIn {
  readonly #options: SocialSignInOptions;
  readonly #key: Buffer;
  readonly #sessions: Sessions;
  readonly #providerSessions: ProviderSessions;

  constructor(options: SocialSignInOptions) {
    this.#options = options;
    this.#key = createHmac("sha256", options.platform.secret("csrf")).update("social sign-in").digest();
    this.#sessions = new Sessions(options.platform);
    this.#providerSessions = new ProviderSessions(options.platform, this.#sessions, options.client.issuer);
  }

  get host(): string {
    return new URL(this.#options.client.issuer).host;
  }

  /** The handlers of requests, by method and path below `/_fw/`. */
  get endpoints(): ReadonlyMap<string, (request: Request) => Promise<void>> {
    return new Map([
      [`GET ${startPath}`, this.#answering((request) => this.#start(request))],
      [`GET ${responsePath}`, this.#answering((request) => this.#finish(request))],
      [`GET ${signOutPath}`, this.#answering((request) => this.#signOut(request))],
      [`GET ${frontChannelPath}`, this.#answering((request) => this.#endByFrame(request), refuseLogout)],
      [`POST ${backChannelPath}`, this.#answering((request) => this.#endByToken(request), refuseLogout)],
    ]);
  }

  #answering(
    answer: (request: Request) => Promise<void>,
    refuseIt: Refusing = refuseSignIn,
  ): (request: Request) => Promise<void> {
    return async (request) => {
      if (!this.#options.isDeclared()) return refuse(request, { status: 404, message: "not found" });
      try {
        await answer(request);
      } catch (error) {
        if (error instanceof ProviderUnreachable) {
          this.#options.log.error("the sign-in provider gave no usable response", { reason: error.message });
          return refuse(request, { status: 503, message: "the sign-in provider cannot be reached: try again" });
        }
        if (!(error instanceof SignInRefused)) throw error;
        refuseIt(request, this.#options.log, error.message);
      }
    };
  }

  async #start(request: Request): Promise<void> {
    const { origin, isSecure } = this.#placeOf(request);
    const { client, platform } = this.#options;
    const { url, attempt } = await client.begin(`${origin}/_fw/${responsePath}`);
    const next = localPath(new URLSearchParams(request.query).get("next") ?? undefined);
    const expires = platform.clock.now() + attemptSeconds * 1_000;
    const stored: StoredAttempt = { ...attempt, issuer: client.issuer, next, expires };
    const cookie = setCookie(attemptCookie, sealText(this.#key, JSON.stringify(stored)), isSecure, attemptSeconds);
    sendEmpty(request, 303, [...privateHeaders, "Set-Cookie", cookie, "Location", url]);
  }

  async #finish(request: Request): Promise<void> {
    const { client, platform, log } = this.#options;
    const { isSecure } = this.#placeOf(request);
    const attempt = this.#attemptOf(request);
    const person = await client.finish(new URLSearchParams(request.query), attempt);
    const account = await accountOf(platform.accounts, client.issuer, person);
    const session = await refusing(conflicts, () => this.#sessions.create(account.id, "social"));
    if (session === undefined) throw new SignInRefused(`the account ${account.id} cannot sign in`);
    await this.#remember(person, { account: account.id, session: session.id });
    const previous = readSessionCookie(request.exchange.header("cookie"), isSecure);
    if (previous !== undefined) await this.#sessions.end(previous);
    await announceSignIn({ platform, log }, userOf(session.identity));
    sendEmpty(request, 303, [
      ...privateHeaders,
      "Set-Cookie",
      setSessionCookie(session.id, isSecure),
      "Set-Cookie",
      setCookie(attemptCookie, "", isSecure, 0),
      "Location",
      attempt.next,
    ]);
  }

  /** Allows the provider to end a new session. Refuses the sign-in if the provider has already ended it. */
  async #remember(person: SocialIdentity, own: { readonly account: string; readonly session: string }): Promise<void> {
    const names = { account: own.account, document: sessionDocumentId(own.session) };
    if (await this.#providerSessions.add(person, names, person.signedIn)) return;
    await this.#sessions.end(own.session);
    throw new SignInRefused("the provider has ended the new session");
  }

  /**
   * Sends a page that leads to the provider's sign-out page. The content security policy of the page with the sign-out
   * form would block a redirect.
   */
  async #signOut(request: Request): Promise<void> {
    const back = `${this.#placeOf(request).origin}/_fw/signin`;
    const url = escapeHTML((await this.#options.client.signOutURL(back)) ?? back);
    const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Sign out</title><a href="${url}">Continue</a>`;
    sendText(request, 200, htmlType, [...privateHeaders, "Content-Security-Policy", "default-src 'none'"], page);
  }

  /** Ends sessions for a logout token of the provider. Each token counts once. */
  async #endByToken(request: Request): Promise<void> {
    const { client } = this.#options;
    const form = new URLSearchParams((await readBody(request.exchange, logoutBytes)).toString());
    const [token = "", ...others] = form.getAll("logout_token");
    if (token === "" || others.length > 0) throw new SignInRefused("the request has no logout token, or several");
    const logout = await client.verifyLogout(token);
    if (!(await this.#providerSessions.isNew(logout.id))) throw new SignInRefused("it was already received");
    await this.#providerSessions.end(logout, logout.issued);
    // Mark the token as used only now: if ending the sessions fails, the provider can send it again.
    await this.#providerSessions.take(logout.id, logout.expires);
    sendEmpty(request, 200, [...privateHeaders]);
  }

  /**
   * Ends the sessions that belong to a session at the provider. Only the provider and its user know that session's
   * name.
   */
  async #endByFrame(request: Request): Promise<void> {
    const { client } = this.#options;
    const parameters = new URLSearchParams(request.query);
    const [issuer = "", ...others] = parameters.getAll("iss");
    const names = parameters.getAll("sid");
    const isOwn = URL.canParse(issuer) && new URL(issuer).href === client.issuer;
    if (!isOwn || others.length > 0 || names.length !== 1)
      throw new SignInRefused("signing out in a frame needs the provider's iss and sid");
    await this.#providerSessions.endKnown(names[0] ?? "");
    sendEmpty(request, 204, [...privateHeaders]);
  }

  /**
   * Returns the browser's sign-in attempt. It works only once: its cookie is then deleted, and the provider accepts the
   * code only once.
   */
  #attemptOf(request: Request): StoredAttempt {
    const { client, platform } = this.#options;
    const { origin, isSecure } = this.#placeOf(request);
    const cookie = readCookie(request.exchange.header("cookie"), cookieName(attemptCookie, isSecure));
    const text = cookie && openText(this.#key, cookie);
    if (text === undefined || text === "") throw new SignInRefused("the browser has not started a sign-in here");
    const attempt = JSON.parse(text) as StoredAttempt;
    if (attempt.expires <= platform.clock.now()) throw new SignInRefused("the response came too late");
    if (attempt.issuer !== client.issuer) throw new SignInRefused("the sign-in was started at another provider");
    if (attempt.redirect !== `${origin}/_fw/${responsePath}`)
      throw new SignInRefused("the response went to another host");
    return attempt;
  }

  #placeOf({ exchange }: Request): { readonly origin: string; readonly isSecure: boolean } {
    const { scheme } = this.#options.visitorOf(exchange);
    return { origin: `${scheme}://${exchange.header("host") ?? "localhost"}`, isSecure: scheme === "https" };
  }
}

type Refusing = (request: Request, log: Logger, reason: string) => void;

const refuseSignIn: Refusing = (request, log, reason) => {
  log.warn("a sign-in at the provider was refused", { reason });
  refuse(request, { status: 401, message: "signing in failed: go back to /_fw/signin and try again" });
};

const refuseLogout: Refusing = (request, log, reason) => {
  log.warn("a request of the provider to end sessions was refused", { reason });
  refuse(request, { status: 400, message: "invalid logout request" });
};

const privateHeaders = ["Cache-Control", "no-store", "Referrer-Policy", "no-referrer"] as const;

/**
 * Returns the account of a user, creating it at the first sign-in. Also returns an account without a password that
 * operators created for the address. Refuses a disabled account, and any other account with that address.
 */
async function accountOf(accounts: Accounts, issuer: string, person: SocialIdentity): Promise<Account> {
  const id = `${prefix}${createHash("sha256")
    .update(JSON.stringify([issuer, person.subject]))
    .digest("hex")
    .slice(0, 40)}`;
  const own = (await accounts.get(id)) ?? (await preparedAccount(accounts, person.email));
  const account = own ?? (await newAccount(accounts, id, person));
  if (account.disabled) throw new SignInRefused(`the account ${account.id} is disabled`);
  return account;
}

async function preparedAccount(accounts: Accounts, email: string): Promise<Account | undefined> {
  if (!isAddress(email)) throw new SignInRefused("the provider sent an invalid email address");
  const account = await accounts.byEmail(email);
  if (account === undefined) return undefined;
  if (account.hasPassword) throw new SignInRefused(`the account ${account.id} has this address and a password`);
  if (account.id.startsWith(prefix)) throw new SignInRefused(`another person's account ${account.id} has this address`);
  return account;
}

async function newAccount(accounts: Accounts, id: string, { email, name }: SocialIdentity): Promise<Account> {
  const fields = { id, email, name: isAccountName(name) ? name : "", emailVerified: true, claims: {} };
  try {
    return await accounts.create(fields);
  } catch (error) {
    // Another sign-in of the same user may have just created it.
    const account = isPlatformError(error, "exists") ? await accounts.get(id) : undefined;
    if (account === undefined) throw error;
    return account;
  }
}
