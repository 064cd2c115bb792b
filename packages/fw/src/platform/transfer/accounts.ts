import type { Account } from "../accounts.ts";
import { canonicalText } from "./canonical.ts";

/**
 * Compares accounts from different stores: ignores the case of addresses and the time of creation, which each store
 * sets itself.
 */
export function isSameAccount(one: Account, other: Account): boolean {
  return accountText(one) === accountText(other);
}

export function accountText({ email, name, emailVerified, disabled, claims }: Account): string {
  return canonicalText([email.toLowerCase(), name, emailVerified, disabled, claims]);
}
