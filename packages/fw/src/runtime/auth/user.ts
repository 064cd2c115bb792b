import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { RoleDeclaration } from "../../declare/role.ts";
import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import type { BundledAuth } from "../bundle.ts";
import { rolesOf } from "./roles.ts";

/** The identity of a user as stored in sessions: a User without its method. */
export type Identity = Omit<User, "hasRole">;

/** A user as handlers see it. Frozen. `hasRole` is on the prototype, so a User can be sent as JSON. */
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

export function userOfAccount(account: Account, auth: BundledAuth): User {
  const { emailVerified } = account;
  return userOf({ ...identityOf(account, providerOf(account, auth)), emailVerified });
}

/** Returns the identity of an account that signed in through a provider. */
export function identityOf(account: Account, provider: Identity["provider"]): Identity {
  const { id, email, name } = account;
  // The social provider vouches for the address.
  const emailVerified = provider === "social" || account.emailVerified;
  return { id, email, name, provider, emailVerified, roles: rolesOf(account.claims) };
}

/** Returns the provider that an account would sign in with. */
function providerOf({ hasPassword }: Account, { social, password }: BundledAuth): Identity["provider"] {
  return password && (hasPassword || !social) ? "email" : "social";
}

/** Returns the signed-in user. Throws a Fault if there is none, as is possible on a route that requires none. */
export function requireUser(ctx: Pick<Context, "maybeUser">, route: string): User {
  const user = ctx.maybeUser();
  if (user !== undefined) return user;
  throw new Fault(
    `${route} called ctx.user() without a signed-in user: add signIn or allow to the route, or call ctx.maybeUser()`,
  );
}
