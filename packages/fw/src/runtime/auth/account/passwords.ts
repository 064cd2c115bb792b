import { StatusError } from "../../../declare/errors.ts";
import { passwordBytes } from "../../../lib/limits.ts";
import { isPassword } from "../../../platform/account-fields.ts";
import type { Account } from "../../../platform/accounts.ts";
import { messages } from "../../error-messages.ts";
import { refusing } from "../../response/refusing.ts";
import { Fault } from "../../../declare/errors.ts";
import type { SignInTarget } from "../sign-in.ts";
import { accountRefusals } from "../users.ts";
import * as texts from "./account-texts.ts";
import { countAttempt } from "./rates.ts";

/** Limit: minimum characters of a password that a user chooses on the account pages. */
export const leastPasswordCharacters = 8;

/** Throws a 400 for a password that is too short, or too long to store. */
export function requireNewPassword(password: string): void {
  if (Array.from(password).length < leastPasswordCharacters)
    throw new StatusError(400, texts.shortPassword(leastPasswordCharacters));
  if (!isPassword(password)) throw new StatusError(400, messages.accountPassword(passwordBytes));
}

/** Throws a 401 unless this is the account's current password, and a 409 if it has none. Counts the attempt. */
export async function requireCurrentPassword(
  { platform }: SignInTarget,
  { id, email, hasPassword }: Account,
  password: string,
): Promise<void> {
  if (!hasPassword) throw new StatusError(409, texts.noPassword);
  await countAttempt(platform, "password", id);
  const account = await refusing(accountRefusals, () => platform.accounts.checkPassword?.(email, password));
  if (account?.id !== id) throw new StatusError(401, texts.notYourPassword);
}

/** Changes an account. Throws a Fault if the platform has no passwords, which fw already refuses at startup. */
export async function changeAccount(
  { platform: { accounts } }: SignInTarget,
  id: string,
  change: Parameters<NonNullable<typeof accounts.change>>[1],
): Promise<Account> {
  const changed = await refusing(accountRefusals, () => accounts.change?.(id, change));
  if (changed === undefined) throw new Fault("this platform has no passwords");
  return changed;
}
