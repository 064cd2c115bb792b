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
import { usesAccounts } from "../capabilities.ts";
import { storedAgent } from "./account/agent.ts";
import { countSignIn } from "./account/rates.ts";
import { requireSecondStep, type SecondStep, verifySecondStep } from "./account/second-step.ts";
import { announceSignIn } from "./announce.ts";
import { readSessionCookie, setSessionCookie } from "./cookie.ts";
import { type Fields, requiredValue, valueOf } from "./fields.ts";
import type { NewSession, Sessions } from "./sessions.ts";
import { type Identity, userOf } from "./user.ts";
import { isTestUser, type TestUser, testUserWithRoles } from "./test-users.ts";
import { accountRefusals } from "./users.ts";

export type Credential =
  | { readonly password: { readonly email: string; readonly password: string } }
  | { readonly idToken: string }
  | { readonly secondStep: SecondStep }
  /** For development only. `roles` replace the account's roles; undefined leaves them unchanged. */
  | { readonly testUser: TestUser; readonly roles: readonly string[] | undefined };

/** The parts of an application that a sign-in needs. */
export interface SignInTarget {
  readonly platform: Platform;
  readonly sessions: Sessions;
  readonly auth: BundledAuth;
  readonly log: Logger;
}

/** The account of a credential, and the declared provider that verified it. */
interface Verified {
  readonly account: Account;
  readonly provider: Identity["provider"];
  /** The version of the password that was checked; undefined for other credentials. */
  readonly passwordVersion?: string | undefined;
}

/**
 * Creates a session from a credential and ends the browser's previous session. Throws a StatusError with a message that
 * users see: 401 for a wrong credential or an undeclared provider, 400 for an undeclared role, 409 if the account kept
 * changing concurrently. Throws a Busy if too many password checks are waiting, and a CodeNeeded if the password is
 * correct but the account has a second factor.
 */
export async function signIn(
  target: SignInTarget,
  credential: Credential,
  previous: string | undefined,
  agent?: string,
): Promise<NewSession> {
  const { account, provider, passwordVersion } = await verify(target, credential);
  const options = { passwordVersion, agent };
  const session = await refusing(conflicts, () => target.sessions.create(account.id, provider, options));
  if (session === undefined) throw wrongPassword();
  if (previous !== undefined) await target.sessions.end(previous);
  await announceSignIn(target, userOf(session.identity));
  return session;
}

/**
 * Signs in with the credentials in a request and sets the session cookie on the response. Throws like `signIn`, a
 * BadInput for missing or ambiguous credentials, and a 429 after too many attempts.
 */
export async function signInWithFields(request: Request, fields: Fields): Promise<NewSession> {
  const credential = credentialOf(fields, request.app.settings.signIn);
  const target = targetOf(request);
  const hasAccountPages = usesAccounts && target.auth.account === true;
  if (hasAccountPages && "password" in credential)
    await countSignIn(target.platform, credential.password.email, request.ctx.client.ip);
  const agent = hasAccountPages ? storedAgent(request.exchange.header("user-agent")) : undefined;
  const session = await signIn(target, credential, sessionIdOf(request), agent);
  request.draft.cookies.push(setSessionCookie(session.id, request.secure));
  // Form tokens issued before the sign-in must not be valid after it.
  forgetCsrfCookie(request);
  return session;
}

async function verify(target: SignInTarget, credential: Credential): Promise<Verified> {
  if ("password" in credential) return verifyPassword(target, credential.password);
  if ("idToken" in credential) return verifyToken(target, credential.idToken);
  if ("secondStep" in credential) return verifyCode(target, credential.secondStep);
  return verifyTestUser(target, credential.testUser, credential.roles);
}

/** Verifies the second step of a sign-in. Throws a 401 for a wrong code or an expired challenge. */
async function verifyCode(target: SignInTarget, step: SecondStep): Promise<Verified> {
  if (!usesAccounts) throw wrongPassword();
  return { provider: declaredProvider(target.auth, "email"), ...(await verifySecondStep(target, step)) };
}

async function verifyPassword(
  target: SignInTarget,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Verified> {
  const provider = declaredProvider(target.auth, "email");
  const { busy } = accountRefusals;
  const account = await refusing({ busy }, () => target.platform.accounts.checkPassword?.(email, password));
  if (account === undefined) throw wrongPassword();
  if (usesAccounts && target.auth.account) await requireSecondStep(target, account);
  return { account, provider, passwordVersion: account.passwordVersion };
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
  // With several services, the process that has the platform creates test users.
  const account = await refusing(
    accountRefusals,
    () => platform.accounts.testUser?.(name, roles) ?? testUserWithRoles(platform, name, roles),
  );
  if (account === undefined) throw wrongPassword();
  return { account, provider: auth.social ? "social" : "email" };
}

/** Returns the provider of a credential. Throws a 401 if Auth does not declare it. */
function declaredProvider({ social, password }: BundledAuth, provider: string): Identity["provider"] {
  if (provider === "social" && social) return provider;
  if (provider === "email" && password) return provider;
  const declared = [...(social ? ["social"] : []), ...(password ? ["email"] : [])].join(" and ");
  throw new StatusError(401, messages.idToken(messages.provider(provider, declared)));
}

/**
 * Creates the error for a wrong password, an unknown address and a disabled account: always the same, so clients cannot
 * distinguish them.
 */
function wrongPassword(): StatusError {
  return new StatusError(401, messages.wrongPassword);
}

/**
 * Reads the credential of a request. With a provider, it is an ID token; with the application's own accounts, an
 * address and password, or a second step. In development, it is any of these or a test user. Throws a BadInput for
 * missing fields and, in development, for several credentials.
 */
function credentialOf(fields: Fields, way: Settings["signIn"]): Credential {
  if (way === "provider") return { idToken: requiredValue(fields, "idToken") };
  if (usesAccounts && fields.values.has("challenge"))
    return { secondStep: { challenge: requiredValue(fields, "challenge"), code: requiredValue(fields, "code") } };
  if (way === "accounts") return passwordOf(fields);
  const methods = credentialForms.filter((way) => way.fields.some((name) => fields.values.has(name)));
  const [method] = methods;
  if (method === undefined || methods.length > 1) throw new BadInput(messages.signInFields);
  return method.read(fields);
}

const credentialForms = [
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

/** Returns the parts of an application that a sign-in needs. Throws a Fault if there is no Auth or no platform. */
export function targetOf({ app, log }: Request): SignInTarget {
  const { platform, sessions } = app;
  const { auth } = app.bundle;
  if (auth === undefined || platform === undefined || sessions === undefined)
    throw new Fault("an application that declares Auth needs a platform");
  return { auth, platform, sessions, log };
}

/** Returns the id in the request's session cookie, live or not. */
export function sessionIdOf({ exchange, secure }: Request): string | undefined {
  return readSessionCookie(exchange.header("cookie"), secure);
}
