import type { Logger } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { Account } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { forgetCsrfCookie } from "../access/csrf-tokens.ts";
import type { BundledAuth } from "../bundle.ts";
import { BadInput, textIsNot } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { conflicts, refusing } from "../response/refusing.ts";
import type { Settings } from "../settings.ts";
import { announceSignIn } from "./announce.ts";
import { readSessionCookie, setSessionCookie } from "./cookie.ts";
import { type Fields, requiredValue, valueOf } from "./fields.ts";
import type { NewSession, Sessions } from "./sessions.ts";
import { type Identity, userOf } from "./user.ts";
import { isTestUser, type TestUser, testUserWith } from "./test-users.ts";
import { accountRefusals } from "./users.ts";

/** What somebody signs in with. */
export type Credential =
  | { readonly password: { readonly email: string; readonly password: string } }
  | { readonly idToken: string }
  /** In development only. `roles` become the account's, and no others; without them it keeps those it has. */
  | { readonly testUser: TestUser; readonly roles: readonly string[] | undefined };

/** Where somebody signs in. */
export interface SignInTarget {
  readonly platform: Platform;
  readonly sessions: Sessions;
  readonly auth: BundledAuth;
  readonly log: Logger;
}

/** Whose credential it is, and which of the declared providers vouches for it. */
interface Verified {
  readonly account: Account;
  readonly provider: Identity["provider"];
}

/**
 * Makes a session from a credential, and ends the one that the browser had. Fails with a StatusError whose sentence is for
 * the visitor: 401 where the credential is wrong or its provider is not declared, 400 for a role that is not declared, 409
 * where the account kept being changed meanwhile, and a Busy where too many passwords wait.
 */
export async function signIn(
  target: SignInTarget,
  credential: Credential,
  previous: string | undefined,
): Promise<NewSession> {
  const { account, provider } = await verify(target, credential);
  const session = await refusing(conflicts, () => target.sessions.create(account.id, provider));
  if (session === undefined) throw wrongPassword();
  if (previous !== undefined) await target.sessions.end(previous);
  await announceSignIn(target, userOf(session.identity));
  return session;
}

/** Signs in with what a request says, and has its answer set the session's cookie. Fails as `signIn` does. */
export async function signInBy(request: Request, fields: Fields): Promise<NewSession> {
  const credential = credentialOf(fields, request.app.settings.signIn);
  const session = await signIn(targetOf(request), credential, sessionIdOf(request));
  (request.cookies ??= []).push(setSessionCookie(session.id, request.secure));
  // A token that was given out before somebody signed in is worth nothing afterwards.
  forgetCsrfCookie(request);
  return session;
}

async function verify(target: SignInTarget, credential: Credential): Promise<Verified> {
  if ("password" in credential) return verifyPassword(target, credential.password);
  if ("idToken" in credential) return verifyToken(target, credential.idToken);
  return verifyTestUser(target, credential.testUser, credential.roles);
}

async function verifyPassword(
  { platform, auth }: SignInTarget,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Verified> {
  const provider = declaredProvider(auth, "email");
  const { busy } = accountRefusals;
  const account = await refusing({ busy }, () => platform.accounts.checkPassword?.(email, password));
  if (account === undefined) throw wrongPassword();
  return { account, provider };
}

async function verifyToken({ platform, auth }: SignInTarget, idToken: string): Promise<Verified> {
  const verified = await platform.accounts.verifyToken(idToken);
  if ("refused" in verified) throw new StatusError(401, messages.idToken(verified.refused));
  return { account: verified.account, provider: declaredProvider(auth, verified.provider) };
}

async function verifyTestUser(
  { platform, auth }: SignInTarget,
  name: TestUser,
  roles: readonly string[] | undefined,
): Promise<Verified> {
  const undeclared = roles?.find((role) => !auth.roles.includes(role));
  if (undeclared !== undefined) throw textIsNot("role", undeclared, "role that this app declares");
  // Beside other services no one of them makes accounts.
  const account = await refusing(
    accountRefusals,
    () => platform.accounts.testUser?.(name, roles) ?? testUserWith(platform, name, roles),
  );
  if (account === undefined) throw wrongPassword();
  return { account, provider: auth.social ? "social" : "email" };
}

/** A session may only come from a declared provider. */
function declaredProvider({ social, password }: BundledAuth, provider: string): Identity["provider"] {
  if (provider === "social" && social) return provider;
  if (provider === "email" && password) return provider;
  const declared = [...(social ? ["social"] : []), ...(password ? ["email"] : [])].join(" and ");
  throw new StatusError(401, messages.idToken(messages.provider(provider, declared)));
}

/** The same for a wrong password, an unknown address and a disabled account. */
function wrongPassword(): StatusError {
  return new StatusError(401, messages.wrongPassword);
}

/**
 * What a request signs in with: of an identity provider an ID token only, with accounts of the application's own an address and a
 * password only, and where somebody works on it all of them, or a test user.
 * Throws a BadInput where it is none of them, or several.
 */
function credentialOf(fields: Fields, way: Settings["signIn"]): Credential {
  if (way === "provider") return { idToken: requiredValue(fields, "idToken") };
  if (way === "accounts") return passwordOf(fields);
  const given = ways.filter((way) => way.fields.some((name) => fields.values.has(name)));
  const [found] = given;
  if (found === undefined || given.length > 1) throw new BadInput(messages.signInFields);
  return found.read(fields);
}

const ways = [
  { fields: ["idToken"], read: (fields) => ({ idToken: requiredValue(fields, "idToken") }) },
  { fields: ["dev_user"], read: testUserOf },
  { fields: ["email", "password"], read: passwordOf },
] as const satisfies readonly { readonly fields: readonly string[]; readonly read: (fields: Fields) => Credential }[];

function testUserOf(fields: Fields): Credential {
  const name = requiredValue(fields, "dev_user");
  if (!isTestUser(name)) throw textIsNot(`${fields.where} dev_user`, name, "test user");
  const keeps = valueOf(fields, "keep_roles") !== undefined;
  return { testUser: name, roles: keeps ? undefined : (fields.values.get("role") ?? []) };
}

function passwordOf(fields: Fields): Credential {
  return { password: { email: requiredValue(fields, "email"), password: requiredValue(fields, "password") } };
}

/** Where the requests of an application sign in. Throws a Fault where it is served without a platform. */
export function targetOf({ app, log }: Request): SignInTarget {
  const { platform, sessions } = app;
  const { auth } = app.bundle;
  if (auth === undefined || platform === undefined || sessions === undefined)
    throw new Fault("an application that declares Auth is served with a platform");
  return { auth, platform, sessions, log };
}

/** The id in the request's session cookie, whether the session lives or not. */
export function sessionIdOf({ exchange, secure }: Request): string | undefined {
  return readSessionCookie(exchange.header("cookie"), secure);
}
