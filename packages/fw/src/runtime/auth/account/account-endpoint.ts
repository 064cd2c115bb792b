import { isStatusError, NotFound, StatusError } from "../../../declare/errors.ts";
import type { Account } from "../../../platform/accounts.ts";
import { forgetCsrfCookie } from "../../access/csrf-tokens.ts";
import { messages } from "../../error-messages.ts";
import type { Request } from "../../request.ts";
import { setRetryAfter } from "../../response/refusal.ts";
import { conflicts, refusing } from "../../response/refusing.ts";
import { clearSessionCookie, setSessionCookie } from "../cookie.ts";
import { type Fields, requiredValue, valueOf } from "../fields.ts";
import { identify } from "../identify.ts";
import { sessionIdOf, type SignInTarget, targetOf } from "../sign-in.ts";
import { sessionDocumentId, type Session } from "../sessions.ts";
import * as texts from "./account-texts.ts";
import { storedAgent } from "./agent.ts";
import { beginSetup, confirmSetup, recoveryCodesLeft, renewRecoveryCodes, secretInSetup, turnOff } from "./factor.ts";
import { mailNotice, mailVerification } from "./mails.ts";
import { accountPage, type Content, notices, recoveryPage, setupPage } from "./markup.ts";
import { changeAccount, requireCurrentPassword, requireNewPassword } from "./passwords.ts";
import { countAttempt, countMail } from "./rates.ts";
import { base32, provisioningURL } from "./totp.ts";

/** The user who manages the account, signed in through a browser's cookie. */
interface Owner {
  readonly request: Request;
  readonly target: SignInTarget;
  readonly session: Session;
  readonly account: Account;
  /** The session id in the browser's cookie. */
  readonly cookie: string;
}

/** The result of a form: a path to redirect to, or a page to show. */
export type Outcome = string | Content;

/** The changes that the account page offers, by the path below `account/`. */
const changes: Readonly<Record<string, (owner: Owner, fields: Fields) => Promise<Outcome>>> = {
  password: changeOwnPassword,
  verify: requestVerification,
  factor: setUpFactor,
  "factor/confirm": confirmFactor,
  "factor/codes": replaceCodes,
  "factor/off": turnFactorOff,
  "sessions/end": endSession,
  "sessions/end-all": endEverySession,
  "tokens/revoke": revokeToken,
};

/** Returns the account page; undefined if the request has no live browser session, or its account is gone. */
export async function ownAccountPage(request: Request, done: string | undefined): Promise<Content | undefined> {
  const owner = await ownerOf(request);
  const notice = done !== undefined && Object.hasOwn(notices, done) ? notices[done] : undefined;
  return owner && pageOf(owner, { notice });
}

/**
 * Handles a form of the account page, or the same request from a program. Throws a 401 without a session, a 403 without
 * the session's form token, and a 404 for an unknown action. Any other refusal of a form is shown on the page.
 */
export async function changeOwnAccount(
  request: Request,
  action: string,
  fields: Fields,
): Promise<{ readonly outcome: Outcome; readonly status: number }> {
  const owner = await ownerOf(request);
  if (owner === undefined) throw new StatusError(401, messages.signIn);
  const token = valueOf(fields, "_csrf") ?? request.exchange.header("x-csrf-token");
  if (!request.app.csrf.verify(request, token)) throw new StatusError(403, messages.csrf);
  const change = Object.hasOwn(changes, action) ? changes[action] : undefined;
  if (change === undefined) throw NotFound();
  try {
    const outcome = await change(owner, fields);
    return { outcome, status: 200 };
  } catch (error) {
    if (!isStatusError(error) || fields.where !== "form") throw error;
    setRetryAfter(request, error);
    const { status, message: refusal } = error;
    return { outcome: await refusedPage(owner, action, refusal, fields), status };
  }
}

/**
 * Returns the user of a browser session; undefined for other credentials, such as tokens, which may have fewer rights.
 */
async function ownerOf(request: Request): Promise<Owner | undefined> {
  request.authentication = await identify(request);
  const { session, claim } = request;
  const cookie = sessionIdOf(request);
  if (session === undefined || claim?.by !== "session" || cookie === undefined) return undefined;
  const target = targetOf(request);
  const account = await target.platform.accounts.get(session.identity.id);
  return account && { request, target, session, account, cookie };
}

interface PageState {
  readonly notice?: string | undefined;
  readonly failure?: { readonly action: string; readonly refusal: string };
}

async function pageOf({ request, target, session, account, cookie }: Owner, state: PageState): Promise<Content> {
  const { platform, sessions, auth } = target;
  return accountPage({
    ...state,
    account,
    csrf: request.app.csrf.issueFor(session),
    sessions: await sessions.list(account.id),
    current: sessionDocumentId(cookie),
    tokens: auth.tokens ? await sessions.tokens(account.id) : undefined,
    codesLeft: await recoveryCodesLeft(platform, account.id),
  });
}

async function refusedPage(owner: Owner, action: string, refusal: string, fields: Fields): Promise<Content> {
  const secret = action === "factor/confirm" ? await shownSecret(owner, fields) : undefined;
  return secret === undefined ? pageOf(owner, { failure: { action, refusal } }) : showSecret(owner, secret, refusal);
}

async function changeOwnPassword(owner: Owner, fields: Fields): Promise<Outcome> {
  const { request, target, account } = owner;
  const password = requiredValue(fields, "new_password");
  await requireCurrentPassword(target, account, requiredValue(fields, "password"));
  requireNewPassword(password);
  const changed = await changeAccount(target, account.id, { password });
  await target.sessions.signOut(account.id);
  const agent = storedAgent(request.exchange.header("user-agent"));
  const { passwordVersion } = changed;
  const session = await refusing(conflicts, () =>
    target.sessions.create(account.id, "email", { passwordVersion, agent }),
  );
  if (session !== undefined) request.draft.cookies.push(setSessionCookie(session.id, request.secure));
  forgetCsrfCookie(request);
  await mailNotice(target, account, "password-changed");
  return "/_fw/account?done=password";
}

async function requestVerification({ request, target, account }: Owner): Promise<Outcome> {
  if (account.emailVerified) return "/_fw/account";
  await countMail(target.platform, account.email, request.ctx.client.ip);
  await mailVerification(target, account);
  return "/_fw/account?done=sent";
}

async function setUpFactor(owner: Owner, fields: Fields): Promise<Outcome> {
  const { target, account } = owner;
  await requireCurrentPassword(target, account, requiredValue(fields, "password"));
  return showSecret(owner, await refusing(conflicts, () => beginSetup(target.platform, account.id)));
}

function showSecret({ request, session, account }: Owner, secret: Buffer, refusal?: string): Content {
  const url = provisioningURL(secret, request.app.bundle.app, account.email);
  return setupPage({ secret: base32(secret), url, csrf: request.app.csrf.issueFor(session), refusal });
}

/**
 * Returns the secret of a second factor in setup if the form contains it; undefined otherwise. Only the pages after the
 * password check show it.
 */
function shownSecret({ target, account }: Owner, fields: Fields): Promise<Buffer | undefined> {
  return secretInSetup(target.platform, account.id, valueOf(fields, "challenge") ?? "");
}

async function confirmFactor(owner: Owner, fields: Fields): Promise<Outcome> {
  const { target, account } = owner;
  const code = requiredValue(fields, "code");
  if ((await shownSecret(owner, fields)) === undefined) throw new StatusError(401, texts.wrongCode);
  await countAttempt(target.platform, "code", account.id);
  const codes = await refusing(conflicts, () => confirmSetup(target.platform, account.id, code));
  await mailNotice(target, account, "second-factor-changed");
  return recoveryPage(codes);
}

async function replaceCodes({ target, account }: Owner, fields: Fields): Promise<Outcome> {
  const code = await checkedCode(target, account, fields);
  const codes = await refusing(conflicts, () => renewRecoveryCodes(target.platform, account.id, code));
  await mailNotice(target, account, "second-factor-changed");
  return recoveryPage(codes);
}

async function turnFactorOff({ target, account }: Owner, fields: Fields): Promise<Outcome> {
  const code = await checkedCode(target, account, fields);
  await refusing(conflicts, () => turnOff(target.platform, account.id, code));
  await mailNotice(target, account, "second-factor-changed");
  return "/_fw/account?done=off";
}

/** Returns the code in a form after checking the password and counting the attempt. The caller verifies the code. */
async function checkedCode(target: SignInTarget, account: Account, fields: Fields): Promise<string> {
  const code = requiredValue(fields, "code");
  await requireCurrentPassword(target, account, requiredValue(fields, "password"));
  await countAttempt(target.platform, "code", account.id);
  return code;
}

async function endSession({ target, account }: Owner, fields: Fields): Promise<Outcome> {
  await target.sessions.endOne(account.id, requiredValue(fields, "id"));
  return "/_fw/account?done=ended";
}

async function endEverySession({ request, target, account }: Owner): Promise<Outcome> {
  await target.sessions.signOut(account.id);
  request.draft.cookies.push(clearSessionCookie(request.secure));
  return "/_fw/signin";
}

async function revokeToken({ target, account }: Owner, fields: Fields): Promise<Outcome> {
  if (target.auth.tokens !== true) throw NotFound();
  await target.sessions.endToken(account.id, requiredValue(fields, "id"));
  return "/_fw/account?done=revoked";
}
