import type { AccountMail } from "../../../declare/auth.ts";
import { StatusError } from "../../../declare/errors.ts";
import { addressKey, isAddress } from "../../../platform/account-fields.ts";
import type { Account } from "../../../platform/accounts.ts";
import type { Transaction } from "../../../platform/contract.ts";
import { transact } from "../../../platform/transact.ts";
import { messages } from "../../error-messages.ts";
import { conflicts, refusing } from "../../response/refusing.ts";
import type { SignInTarget } from "../sign-in.ts";
import { decoyBody, mailEvent } from "./decoy.ts";
import { addLink, type Link, resetLinkMs, signUpLinkMs } from "./links.ts";

/** The path of the page behind a link. */
const linkPath = "/_fw/link/";

/** The link to store for an address, and the mail to send; `mail` is undefined to send none. */
interface Plan {
  readonly link: Omit<Link, "next">;
  readonly mail: Pick<AccountMail, "purpose" | "to" | "name"> | undefined;
  readonly lifetime: number;
}

/**
 * Mails a link to create an account. For an existing account, mails a link to set a new password, or to the sign-in
 * page if it cannot have a password. A disabled account gets no mail. The work and the response do not reveal which
 * case applies. Throws a 400 for an invalid address.
 */
export async function mailSignUp(target: SignInTarget, email: string, next: string): Promise<void> {
  await mail(target, email, next, (account) => {
    if (account === undefined) return signUp(email);
    const { email: to, name, disabled } = account;
    const plan = reset(target, account);
    if (disabled) return { ...plan, mail: undefined };
    return { ...plan, mail: { purpose: "existing-account", to, name } };
  });
}

/**
 * Mails a link to set a new password if the address has an account that can have one. Otherwise does the same work, but
 * sends no mail.
 */
export async function mailReset(target: SignInTarget, email: string): Promise<void> {
  await mail(target, email, "/", (account) => reset(target, account));
}

export async function mailVerification(target: SignInTarget, { id, email, name }: Account): Promise<void> {
  const link = { purpose: "verify", email, account: id, password: "" } as const;
  const plan: Plan = { link, mail: { purpose: "verify", to: email, name }, lifetime: signUpLinkMs };
  await storeAndSend(target, `account ${id}`, "/_fw/account", plan);
}

/** Mails a notice about a change to an account. Only logs a failure, because the change was already made. */
export async function mailNotice(
  { platform, log }: SignInTarget,
  { id, email, name }: Account,
  purpose: AccountMail["purpose"],
): Promise<void> {
  const mail: AccountMail = { purpose, to: email, name, path: "/_fw/account" };
  try {
    await platform.messages.send(mailEvent, { body: JSON.stringify(mail) });
  } catch (error) {
    log.error("a mail about an account could not be sent", { purpose, user: id, error });
  }
}

async function mail(
  target: SignInTarget,
  email: string,
  next: string,
  planFor: (account: Account | undefined) => Plan,
): Promise<void> {
  if (!isAddress(email) || listSyntax.test(email)) throw new StatusError(400, messages.emailAddress);
  const plan = planFor(await target.platform.accounts.byEmail(email));
  await storeAndSend(target, `address ${addressKey(email)}`, next, plan);
}

/**
 * Matches characters that separate addresses, or an address from a name, in a mail header. With them, the mail could
 * reach an address other than the one that fw counts and verifies.
 */
const listSyntax = /["(),:;<>[\\\]]/;

function signUp(email: string): Plan {
  return {
    link: { purpose: "sign-up", email, account: "", password: "" },
    mail: { purpose: "sign-up", to: email, name: "" },
    lifetime: signUpLinkMs,
  };
}

/**
 * Plans a link to set a new password, sent to the address exactly as the account spells it. For an account that cannot
 * have a password, plans a link that permits nothing, and no mail.
 */
function reset({ auth }: SignInTarget, account: Account | undefined): Plan {
  if (account === undefined || account.disabled || !mayHavePassword(account, auth)) {
    return { link: { purpose: "none", email: "", account: "", password: "" }, mail: undefined, lifetime: resetLinkMs };
  }
  const { id, email, name, passwordVersion = "" } = account;
  return {
    link: { purpose: "reset", email, account: id, password: passwordVersion },
    mail: { purpose: "reset", to: email, name },
    lifetime: resetLinkMs,
  };
}

/**
 * False for an account without a password if a social provider is declared: a password would outlive the user's account
 * at that provider.
 */
function mayHavePassword({ hasPassword }: Account, { social }: SignInTarget["auth"]): boolean {
  return hasPassword || !social;
}

async function storeAndSend(
  { platform }: SignInTarget,
  subject: string,
  next: string,
  { link, mail, lifetime }: Plan,
): Promise<void> {
  const expires = new Date(platform.clock.now() + lifetime);
  const work = (transaction: Transaction): Promise<void> => {
    const token = addLink(transaction, subject, { ...link, next }, expires);
    transaction.send(mailEvent, { body: mail === undefined ? decoyBody : bodyOf(mail, link, token, expires) });
    return Promise.resolve();
  };
  await refusing(conflicts, () => transact(platform, work));
}

/**
 * Returns the event's body: the mail with its link, which leads to the sign-in page if the account cannot have a
 * password.
 */
function bodyOf(mail: NonNullable<Plan["mail"]>, { purpose }: Plan["link"], token: string, expires: Date): string {
  if (purpose === "none") return JSON.stringify({ ...mail, path: "/_fw/signin" });
  return JSON.stringify({ ...mail, path: linkPath + token, expires });
}
