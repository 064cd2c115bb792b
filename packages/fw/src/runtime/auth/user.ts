import type { RoleDeclaration } from "../../declare/role.ts";
import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import type { BundledAuth } from "../bundle.ts";
import { providerOf, rolesOf } from "./identity.ts";
import type { Identity } from "./session.ts";

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
  const { id, email, name, emailVerified, claims } = account;
  return userOf({ id, email, name, provider: providerOf(account, auth), emailVerified, roles: rolesOf(claims) });
}
