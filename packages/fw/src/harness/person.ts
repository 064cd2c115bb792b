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

/** Where people of a test sign in. */
interface Door {
  readonly auth: BundledAuth;
  readonly platform: LocalPlatform;
  readonly sessions: Sessions;
  /** Who signed in before, the latest last. */
  readonly people: ReadonlySet<Person>;
}

/** Somebody who is signed in, as the harness sees them. */
export class Person implements SignedIn {
  readonly identity: Identity;
  /** The session, in the application's store. */
  readonly session: Promise<NewSession>;
  /** True once the account is in the store. */
  #kept = false;

  /** Makes the account where it is not there, and a session for it. Throws a Fault where that cannot be. */
  constructor(door: Door, who: SignInAs) {
    const before = [...door.people].findLast((person) => person.#isPending(who));
    const known = before?.identity ?? accountOf(door, who);
    this.identity = identityOf(door.auth, who, known);
    this.session = this.#open(door, who.roles !== undefined, before);
    // Whoever waits for it is told.
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

  /** Whether this is who signs in, and nobody else knows yet. */
  #isPending({ email, id }: SignInAs): boolean {
    if (this.#kept) return false;
    if (id === this.id) return true;
    if (addressKey(email) !== addressKey(this.email)) return false;
    if (id !== undefined) throw isTaken(email, this.id);
    return true;
  }

  async #open(door: Door, setsRoles: boolean, before: Person | undefined): Promise<NewSession> {
    // An account is made once, and of the roles that it is given those of the later call stay.
    await before?.session.catch(() => {});
    const { id, email, provider } = this.identity;
    try {
      await ensureAccount(door, this.identity, setsRoles);
    } finally {
      this.#kept = true;
    }
    const session = await door.sessions.create(id, provider);
    if (session === undefined) throw new Fault(`signIn: the account of ${email} is disabled`);
    return session;
  }
}

/** What is known of who signs in, before they do. */
type Known = Pick<Identity, "id" | "email" | "name" | "emailVerified" | "roles">;

/** The account of who signs in, where it is there. Throws a Fault where nobody can sign in to it. */
function accountOf({ platform: { accounts } }: Door, { email, id }: SignInAs): Known | undefined {
  const holder = accounts.byEmailNow(email);
  const account = id === undefined ? holder : accounts.getNow(id);
  if (account === undefined && holder !== undefined) throw isTaken(email, holder.id);
  if (account?.disabled) throw new Fault(`signIn: the account of ${email} is disabled`);
  return account && { ...account, roles: rolesOf(account.claims) };
}

function isTaken(email: string, id: string): Fault {
  return new Fault(`signIn: ${email} has an account already, with the id "${id}"`);
}

function identityOf(auth: BundledAuth, who: SignInAs, known: Known | undefined): Identity {
  const { email, name = "", id = randomUUID(), provider = auth.social ? "social" : "email" } = who;
  if (!auth[provider === "email" ? "password" : "social"])
    throw new Fault(`signIn({ provider: "${provider}" }): the application's Auth does not declare it`);
  const roles = who.roles === undefined ? (known?.roles ?? []) : declaredRoles(auth, who.roles);
  const made = known ?? { id, email, name, emailVerified: who.emailVerified ?? true };
  const emailVerified = provider === "social" || made.emailVerified;
  const identity = { id: made.id, email: made.email, name: made.name, provider, emailVerified, roles };
  refuseWhatIsNoAccount(identity);
  return identity;
}

function refuseWhatIsNoAccount({ id, email, name, emailVerified, roles }: Identity): void {
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

async function ensureAccount({ auth, platform }: Door, identity: Identity, setsRoles: boolean): Promise<void> {
  const { accounts } = platform;
  const { id, email, name, emailVerified, roles } = identity;
  const known = await accounts.get(id);
  if (known !== undefined) {
    if (setsRoles) await accountsOf(platform, auth).setRoles(id, roles);
    return;
  }
  await accounts.create({ id, email, name, emailVerified, claims: { roles } });
}
