import { createHash } from "node:crypto";
import { isAccountName, isAddress } from "../../../platform/account-fields.ts";
import type { Account, Accounts } from "../../../platform/accounts.ts";
import { isPlatformError } from "../../../platform/errors.ts";
import { SignInRefused, type SocialIdentity } from "./client.ts";

const prefix = "social-";

/**
 * Returns the account of a user, creating it at the first sign-in. The user can also sign in to an account without a
 * password that operators created for the address; any other account with the address stays out of reach.
 */
export async function accountOf(accounts: Accounts, issuer: string, person: SocialIdentity): Promise<Account> {
  const id = `${prefix}${createHash("sha256")
    .update(JSON.stringify([issuer, person.subject]))
    .digest("hex")
    .slice(0, 40)}`;
  const own = (await accounts.get(id)) ?? (await preparedAccount(accounts, person.email));
  const account = own ?? (await newAccount(accounts, id, person));
  if (account.disabled) throw new SignInRefused(`the account ${account.id} is disabled`);
  return account;
}

async function preparedAccount(accounts: Accounts, email: string): Promise<Account | undefined> {
  if (!isAddress(email)) throw new SignInRefused("the provider sent an invalid email address");
  const account = await accounts.byEmail(email);
  if (account === undefined) return undefined;
  if (account.hasPassword) throw new SignInRefused(`the account ${account.id} has this address and a password`);
  if (account.id.startsWith(prefix)) throw new SignInRefused(`another person's account ${account.id} has this address`);
  return account;
}

async function newAccount(accounts: Accounts, id: string, { email, name }: SocialIdentity): Promise<Account> {
  const fields = { id, email, name: isAccountName(name) ? name : "", emailVerified: true, claims: {} };
  try {
    return await accounts.create(fields);
  } catch (error) {
    // Another sign-in of the same user may have just created it.
    const account = isPlatformError(error, "exists") ? await accounts.get(id) : undefined;
    if (account === undefined) throw error;
    return account;
  }
}
