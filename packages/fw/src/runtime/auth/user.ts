import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { RoleDeclaration } from "../../declare/role.ts";
import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import type { BundledAuth } from "../bundle.ts";
import { rolesOf } from "./roles.ts";

/** Who a session speaks for, as it is kept: what a User says, without its method. */
export type Identity = Omit<User, "hasRole">;

/** A user as handlers see one. Nothing of it can be changed, and `hasRole` is no field, so that a User can be sent as JSON. */
class FrozenUser implements User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly provider: User["provider"];
  readonly emailVerified: boolean;
  readonly roles: readonly string[];

  constructor({ id, email, name, provider, emailVerified, roles }: Identity) {
    this.id = id;
    this.email = email;
    this.name = name;
    this.provider = provider;
    this.emailVerified = emailVerified;
    this.roles = Object.freeze([...roles]);
    Object.freeze(this);
  }

  hasRole({ name }: RoleDeclaration): boolean {
    return this.roles.includes(name);
  }
}

export function userOf(identity: Identity): User {
  return new FrozenUser(identity);
}

/** The user of an account that nobody has to be signed in to. */
export function userOfAccount(account: Account, auth: BundledAuth): User {
  const { emailVerified } = account;
  return userOf({ ...identityOf(account, providerOf(account, auth)), emailVerified });
}

/** Who an account is when it signs in through a provider. */
export function identityOf(account: Account, provider: Identity["provider"]): Identity {
  const { id, email, name } = account;
  // The social provider guarantees the address.
  const emailVerified = provider === "social" || account.emailVerified;
  return { id, email, name, provider, emailVerified, roles: rolesOf(account.claims) };
}

/** The provider that an account would sign in with. */
function providerOf({ hasPassword }: Account, { social, password }: BundledAuth): Identity["provider"] {
  return password && (hasPassword || !social) ? "email" : "social";
}

/** Who is signed in. Throws a Fault where nobody is, on a route that lets everybody in. */
export function requireUser(ctx: Pick<Context, "maybeUser">, route: string): User {
  const user = ctx.maybeUser();
  if (user !== undefined) return user;
  throw new Fault(
    `${route} called ctx.user() where nobody is signed in: put signIn or allow on the route, or ask ctx.maybeUser()`,
  );
}
