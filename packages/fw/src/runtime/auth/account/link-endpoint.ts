import { StatusError } from "../../../declare/errors.ts";
import { accountNameCharacters } from "../../../lib/limits.ts";
import { isAccountName } from "../../../platform/account-fields.ts";
import { transact } from "../../../platform/transact.ts";
import { forgetCsrfCookie } from "../../access/csrf-tokens.ts";
import { messages } from "../../error-messages.ts";
import type { Request } from "../../request.ts";
import { Busy } from "../../response/busy.ts";
import { conflicts, refusing } from "../../response/refusing.ts";
import { announceRegistered, announceSignIn } from "../announce.ts";
import { setSessionCookie } from "../cookie.ts";
import { type Fields, requiredValue, valueOf } from "../fields.ts";
import { sessionIdOf, type SignInTarget, targetOf } from "../sign-in.ts";
import { userOf, userOfAccount } from "../user.ts";
import { accountRefusals } from "../users.ts";
import { storedAgent } from "./agent.ts";
import * as texts from "./account-texts.ts";
import { findLink, type Link, restoreLink, takeLink } from "./links.ts";
import { mailNotice } from "./mails.ts";
import { type Content, deadLinkPage, newPasswordPage, type FormState, verifyPage } from "./markup.ts";
import { changeAccount, requireNewPassword } from "./passwords.ts";

/** Returns the page behind a mailed link. Opening it does not use up the link, because mail scanners open links. */
export async function linkPage(request: Request, token: string, state: FormState = {}): Promise<Content> {
  const target = targetOf(request);
  const link = await findLink(target.platform, token);
  if (link === undefined || !(await isValid(target, link))) return deadLinkPage;
  if (link.purpose === "verify") return verifyPage(token, link.email);
  return newPasswordPage(token, link.email, link.purpose === "sign-up", state);
}

/**
 * Performs the action of a link once, and returns the path to continue to. Throws a 410 for a link that was used or no
 * longer applies.
 */
export async function followLink(request: Request, token: string, fields: Fields): Promise<string> {
  const target = targetOf(request);
  const link = await findLink(target.platform, token);
  if (link === undefined || !(await isValid(target, link))) throw new StatusError(410, texts.deadLink);
  if (link.purpose === "verify") {
    await takeOnce(target, token);
    await changeAccount(target, link.account, { emailVerified: true });
    await target.sessions.markStale(link.account);
    return "/_fw/account?done=verified";
  }
  const password = requiredValue(fields, "new_password");
  requireNewPassword(password);
  if (link.purpose === "reset") return resetPassword(target, token, password);
  return createAccount(request, token, { password, name: newName(fields) });
}

/**
 * False if the link no longer applies: sign-up is off, the account was disabled or deleted, its address has changed or,
 * for a reset, its password. Also false for a sign-in challenge, which is not a link.
 */
async function isValid({ platform, auth }: SignInTarget, link: Link): Promise<boolean> {
  if (link.purpose === "code") return false;
  if (link.purpose === "sign-up") return auth.signUp === true;
  const account = await platform.accounts.get(link.account);
  if (account === undefined || account.disabled || account.email !== link.email) return false;
  return link.purpose === "verify" || link.password === (account.passwordVersion ?? "");
}

async function takeOnce({ platform }: SignInTarget, token: string): Promise<Link> {
  const link = await refusing(conflicts, () => takeLink(platform, token));
  if (link === undefined) throw new StatusError(410, texts.deadLink);
  return link;
}

/**
 * Sets the password, marks the address as verified, and ends every session and access token, because an attacker may
 * have created them. The user must still sign in, with the second factor if it is on.
 */
async function resetPassword(target: SignInTarget, token: string, password: string): Promise<string> {
  const { account: id } = await usingUp(target, token, async (link) => {
    await changeAccount(target, link.account, { password, emailVerified: true });
    return link;
  });
  await target.sessions.endAll(id);
  const account = await target.platform.accounts.get(id);
  if (account !== undefined) await mailNotice(target, account, "password-changed");
  return "/_fw/signin";
}

interface NewAccount {
  readonly password: string;
  readonly name: string;
}

/** Creates an account and signs the user in. The address counts as verified because the link was sent to it. */
async function createAccount(request: Request, token: string, { password, name }: NewAccount): Promise<string> {
  const target = targetOf(request);
  const { platform, auth, sessions } = target;
  const [account, next] = await usingUp(target, token, async ({ email, next }) => {
    const fields = { email, name, password, emailVerified: true, claims: {} };
    return [await refusing(accountRefusals, () => platform.accounts.create(fields)), next] as const;
  });
  await announceRegistered(target, userOfAccount(account, auth));
  const agent = storedAgent(request.exchange.header("user-agent"));
  const session = await refusing(conflicts, () =>
    sessions.create(account.id, "email", { passwordVersion: account.passwordVersion, agent }),
  );
  if (session === undefined) return "/_fw/signin";
  const previous = sessionIdOf(request);
  if (previous !== undefined) await sessions.end(previous);
  await announceSignIn(target, userOf(session.identity));
  request.draft.cookies.push(setSessionCookie(session.id, request.secure));
  forgetCsrfCookie(request);
  return next;
}

/**
 * Uses up a link and calls `work` with it. If the platform is too busy for `work`, or a concurrent change conflicts,
 * makes the link valid again.
 */
async function usingUp<T>(target: SignInTarget, token: string, work: (link: Link) => Promise<T>): Promise<T> {
  const link = await takeOnce(target, token);
  try {
    return await work(link);
  } catch (error) {
    if (error instanceof Busy || (error as Error).message === messages.conflict) {
      const expires = new Date(target.platform.clock.now() + retryMs);
      await transact(target.platform, (transaction) => Promise.resolve(restoreLink(transaction, token, link, expires)));
    }
    throw error;
  }
}

/** Milliseconds that a link is valid again after its request could not be completed. */
const retryMs = 600_000;

function newName(fields: Fields): string {
  const name = (valueOf(fields, "name") ?? "").trim();
  if (!isAccountName(name)) throw new StatusError(400, messages.accountName(accountNameCharacters));
  return name;
}
