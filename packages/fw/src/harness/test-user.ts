import { randomUUID } from "node:crypto";
import { Fault } from "../declare/errors.ts";
import type { RoleDeclaration } from "../declare/role.ts";
import { suggestion } from "../lib/suggest.ts";
import { messageOf } from "../lib/thrown.ts";
import { addressKey, checkAccountFields } from "../platform/account-fields.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { accountsOf } from "../runtime/auth/users.ts";
import { setSessionCookie } from "../runtime/auth/cookie.ts";
import { rolesOf } from "../runtime/auth/roles.ts";
import type { Identity } from "../runtime/auth/user.ts";
import type { NewSession, Sessions } from "../runtime/auth/sessions.ts";
import type { BundledAuth } from "../runtime/bundle.ts";
import type { SignedIn, SignInAs } from "./signed-in.ts";

/** The parts of a test's application that a sign-in needs. */
interface SignInParts {
  readonly auth: BundledAuth;
  readonly platform: LocalPlatform;
  readonly sessions: Sessions;
  /** The earlier sign-ins, oldest first. */
  readonly people: ReadonlySet<TestUser>;
}

export class TestUser implements SignedIn {
  readonly identity: Identity;
  /** The user's session in the application's store. */
  readonly session: Promise<NewSession>;
  /** True once the account has been stored, or storing it has failed. */
  #isStored = false;

  /** Creates the account, if it does not exist, and a session. Throws a Fault or rejects `session` if that fails. */
  constructor(parts: SignInParts, who: SignInAs) {
    const earlier = [...parts.people].findLast((person) => person.#isPending(who));
    const account = earlier?.identity ?? findAccount(parts, who);
    this.identity = identityOf(parts.auth, who, account);
    this.session = this.#open(parts, who.roles !== undefined, earlier);
    // The error reaches the callers that await the session.
    this.session.catch(() => {});
  }

  get id(): string {
    return this.identity.id;
  }

  get email(): string {
    return this.identity.email;
  }

  get name(): string {
    return this.identity.name;
  }

  get roles(): readonly string[] {
    return this.identity.roles;
  }

  async cookie(): Promise<string> {
    const { id } = await this.session;
    const [pair = ""] = setSessionCookie(id, false).split(";");
    return pair;
  }

  /**
   * True if this sign-in is of the same user and its account is not in the store yet. Throws if only the address is the
   * same.
   */
  #isPending({ email, id }: SignInAs): boolean {
    if (this.#isStored) return false;
    if (id === this.id) return true;
    if (addressKey(email) !== addressKey(this.email)) return false;
    if (id !== undefined) throw addressTaken(email, this.id);
    return true;
  }

  async #open(door: SignInParts, setsRoles: boolean, earlier: TestUser | undefined): Promise<NewSession> {
    // Wait for an earlier sign-in of the user, so that only one creates the account, and the newer roles apply.
    await earlier?.session.catch(() => {});
    const { id, email, provider } = this.identity;
    try {
      await ensureAccount(door, this.identity, setsRoles);
    } finally {
      this.#isStored = true;
    }
    const session = await door.sessions.create(id, provider);
    if (session === undefined) throw new Fault(`signIn: the account of ${email} is disabled`);
    return session;
  }
}

/** The parts of an identity that come from the account: all except the provider. */
type AccountIdentity = Pick<Identity, "id" | "email" | "name" | "emailVerified" | "roles">;

/** Returns the account to sign in to, if it exists. Throws a Fault if the sign-in is impossible. */
function findAccount({ platform: { accounts } }: SignInParts, { email, id }: SignInAs): AccountIdentity | undefined {
  const addressHolder = accounts.byEmailNow(email);
  const account = id === undefined ? addressHolder : accounts.getNow(id);
  if (account === undefined && addressHolder !== undefined) throw addressTaken(email, addressHolder.id);
  if (account?.disabled) throw new Fault(`signIn: the account of ${email} is disabled`);
  return account && { ...account, roles: rolesOf(account.claims) };
}

function addressTaken(email: string, id: string): Fault {
  return new Fault(`signIn: ${email} already has an account, with the id "${id}"`);
}

function identityOf(auth: BundledAuth, who: SignInAs, account: AccountIdentity | undefined): Identity {
  const { email, name = "", id = randomUUID(), provider = auth.social ? "social" : "email" } = who;
  if (!auth[provider === "email" ? "password" : "social"])
    throw new Fault(`signIn({ provider: "${provider}" }): the application's Auth does not declare it`);
  const roles = who.roles === undefined ? (account?.roles ?? []) : declaredRoles(auth, who.roles);
  const base = account ?? { id, email, name, emailVerified: who.emailVerified ?? true };
  const emailVerified = provider === "social" || base.emailVerified;
  const identity = { id: base.id, email: base.email, name: base.name, provider, emailVerified, roles };
  requireValidAccount(identity);
  return identity;
}

function requireValidAccount({ id, email, name, emailVerified, roles }: Identity): void {
  try {
    checkAccountFields({ id, email, name, emailVerified, claims: { roles } });
  } catch (error) {
    throw new Fault(`signIn: ${messageOf(error)}`);
  }
}

function declaredRoles(auth: BundledAuth, roles: readonly RoleDeclaration[]): string[] {
  for (const { name } of roles) {
    if (auth.roles.includes(name)) continue;
    throw new Fault(`signIn({ roles }): the application declares no role "${name}"${suggestion(name, auth.roles)}`);
  }
  return [...new Set(roles.map(({ name }) => name))].toSorted();
}

async function ensureAccount({ auth, platform }: SignInParts, identity: Identity, setsRoles: boolean): Promise<void> {
  const { accounts } = platform;
  const { id, email, name, emailVerified, roles } = identity;
  const existing = await accounts.get(id);
  if (existing !== undefined) {
    if (setsRoles) await accountsOf(platform, auth).setRoles(id, roles);
    return;
  }
  await accounts.create({ id, email, name, emailVerified, claims: { roles } });
}
