import { randomUUID } from "node:crypto";
import { Fault } from "../declare/errors.ts";
import type { RoleDeclaration } from "../declare/role.ts";
import { nearest } from "../lib/suggest.ts";
import type { Platform } from "../platform/contract.ts";
import { accountsOf } from "../runtime/auth/accounts.ts";
import { setSessionCookie } from "../runtime/auth/cookie.ts";
import type { Identity, NewSession, Sessions } from "../runtime/auth/session.ts";
import type { BundledAuth } from "../runtime/bundle.ts";
import type { SignedIn, SignInAs } from "./signed-in.ts";

/** Where people of a test sign in. */
interface Door {
  readonly auth: BundledAuth;
  readonly platform: Platform;
  readonly sessions: Sessions;
}

/** Somebody who is signed in, as the harness sees them. */
export class Person implements SignedIn {
  readonly identity: Identity;
  /** The session, in the application's store. */
  readonly session: Promise<NewSession>;

  /** Makes the account where it is not there, and a session for it. */
  constructor(door: Door, who: SignInAs) {
    this.identity = identityOf(door.auth, who);
    this.session = openSession(door, this.identity, who.roles !== undefined);
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
}

function identityOf(auth: BundledAuth, who: SignInAs): Identity {
  const { email, name = "", roles = [], id = randomUUID(), provider = auth.social ? "social" : "email" } = who;
  if (!auth[provider === "email" ? "password" : "social"])
    throw new Fault(`signIn({ provider: "${provider}" }): the application's Auth does not declare it`);
  const emailVerified = provider === "social" || (who.emailVerified ?? true);
  return { id, email, name, provider, emailVerified, roles: rolesOf(auth, roles) };
}

function rolesOf(auth: BundledAuth, roles: readonly RoleDeclaration[]): string[] {
  for (const { name } of roles) {
    if (auth.roles.includes(name)) continue;
    const meant = nearest(name, auth.roles);
    const suggestion = meant === undefined ? "" : `; did you mean "${meant}"?`;
    throw new Fault(`signIn({ roles }): the application declares no role "${name}"${suggestion}`);
  }
  return [...new Set(roles.map(({ name }) => name))].toSorted();
}

async function openSession(door: Door, identity: Identity, setsRoles: boolean): Promise<NewSession> {
  const { id, email, provider } = identity;
  await ensureAccount(door, identity, setsRoles);
  const session = await door.sessions.create(id, provider);
  if (session === undefined) throw new Fault(`signIn: the account of ${email} is disabled`);
  return session;
}

async function ensureAccount({ auth, platform }: Door, identity: Identity, setsRoles: boolean): Promise<void> {
  const { accounts } = platform;
  const { id, email, name, emailVerified, roles } = identity;
  const known = await accounts.get(id);
  if (known !== undefined) {
    if (setsRoles) await accountsOf(platform, auth).setRoles(id, roles);
    return;
  }
  const taken = await accounts.byEmail(email);
  if (taken !== undefined)
    throw new Fault(
      `signIn: ${email} has an account already; sign in with its id: signIn({ email, id: "${taken.id}" })`,
    );
  await accounts.create({ id, email, name, emailVerified, claims: { roles } });
}
