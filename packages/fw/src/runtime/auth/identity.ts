import type { Account, Claims } from "../../platform/accounts.ts";
import type { BundledAuth } from "../bundle.ts";
import type { Identity } from "./session.ts";

/** Who an account is when it signs in through a provider. */
export function identityOf(account: Account, provider: Identity["provider"]): Identity {
  const { id, email, name } = account;
  // The social provider guarantees the address.
  const emailVerified = provider === "social" || account.emailVerified;
  return { id, email, name, provider, emailVerified, roles: rolesOf(account.claims) };
}

/** The provider that an account would sign in with. */
export function providerOf({ hasPassword }: Account, { social, password }: BundledAuth): Identity["provider"] {
  return password && (hasPassword || !social) ? "email" : "social";
}

/** The names of the roles in the claims, sorted. */
export function rolesOf({ roles }: Claims): string[] {
  const names = Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [];
  return [...new Set(names)].toSorted();
}
