import type { Account } from "../accounts.ts";
import { canonicalText } from "./canonical.ts";

/** Compares accounts as another store keeps them: addresses ignore case, and the time of creation is the store's. */
export function isSameAccount(one: Account, other: Account): boolean {
  return accountText(one) === accountText(other);
}

export function accountText({ email, name, emailVerified, disabled, claims }: Account): string {
  return canonicalText([email.toLowerCase(), name, emailVerified, disabled, claims]);
}
