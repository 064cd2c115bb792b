import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import type { BundledAuth } from "../bundle.ts";
import { providerOf, rolesOf } from "./identity.ts";
import type { Identity } from "./session.ts";

/** A user as handlers see one. `hasRole` is not enumerable, so that a User can be sent as JSON. */
export function userOf({ id, email, name, provider, emailVerified, roles }: Identity): User {
  const fields = { id, email, name, provider, emailVerified, roles: Object.freeze([...roles]) };
  Object.defineProperty(fields, "hasRole", { value: (role: { readonly name: string }) => roles.includes(role.name) });
  return Object.freeze(fields) as User;
}

/** The user of an account that nobody has to be signed in to. */
export function userOfAccount(account: Account, auth: BundledAuth): User {
  const { id, email, name, emailVerified, claims } = account;
  return userOf({ id, email, name, provider: providerOf(account, auth), emailVerified, roles: rolesOf(claims) });
}
