import type { Account, Accounts } from "../accounts.ts";
import { canonicalText } from "./canonical.ts";

/**
 * Compares accounts from different stores: ignores the case of addresses and the time of creation, which each store
 * sets itself.
 */
export function isSameAccount(one: Account, other: Account): boolean {
  return accountText(one) === accountText(other);
}

/** Creates an account of another store without its password, which the store cannot import. */
export async function createWithoutPassword(
  accounts: Accounts,
  { id, email, name, emailVerified, claims, disabled }: Account,
): Promise<void> {
  await accounts.create({ id, email, name, emailVerified, claims });
  if (disabled) await accounts.setDisabled(id, true);
}

export function accountText({ email, name, emailVerified, disabled, claims }: Account): string {
  return canonicalText([email.toLowerCase(), name, emailVerified, disabled, claims]);
}
