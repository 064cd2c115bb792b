import type { NewUser } from "../../declare/auth.ts";
import { StatusError } from "../../declare/errors.ts";
import { accountNameCharacters, passwordBytes } from "../../lib/limits.ts";
import { isAccountName, isAddress, isPassword } from "../../platform/account-fields.ts";
import type { AccountFields } from "../../platform/accounts.ts";
import { messages } from "../messages.ts";

/** What a new user's account is made of; a 400 where it cannot be made. */
export function accountFieldsOf({ email, name = "", password }: NewUser): AccountFields {
  if (!isAddress(email)) throw new StatusError(400, messages.emailAddress);
  if (!isAccountName(name)) throw new StatusError(400, messages.accountName(accountNameCharacters));
  if (password !== undefined && !isPassword(password))
    throw new StatusError(400, messages.accountPassword(passwordBytes));
  const fields = { email, name, emailVerified: false, claims: {} };
  return password === undefined ? fields : { ...fields, password };
}
