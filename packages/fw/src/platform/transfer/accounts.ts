import type { Account, Accounts } from "../accounts.ts";
import { canonicalText } from "./canonical.ts";

/**
 * Compares accounts with the same id in different stores. Ignores passwords, the case of addresses, and the creation
 * time, which some stores set themselves.
 */
export function isSameAccount(one: Account, other: Account): boolean {
  return accountText(one) === accountText(other);
}

/** Creates a copy of another store's account without its password, which this store cannot import. */
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
