import { randomBytes } from "node:crypto";
import { StatusError } from "../../../declare/errors.ts";
import type { Account } from "../../../platform/accounts.ts";
import { transact } from "../../../platform/transact.ts";
import { conflicts, refusing } from "../../response/refusing.ts";
import type { SignInTarget } from "../sign-in.ts";
import * as texts from "./account-texts.ts";
import { recoveryCodesLeft, spendCode } from "./factor.ts";
import { addLink, challengeMs, findLink, takeLinkIn } from "./links.ts";
import { countAttempt } from "./rates.ts";

/** Thrown for a correct password if a code from the account's second factor must follow. */
export class CodeNeeded extends StatusError {
  /** A token which proves that the password was correct. */
  readonly challenge: string;

  constructor(challenge: string, message: string = texts.needsCode) {
    super(401, message, { challenge });
    this.challenge = challenge;
  }
}

/** Throws a CodeNeeded if the account has a second factor. */
export async function requireSecondStep({ platform }: SignInTarget, account: Account): Promise<void> {
  if ((await recoveryCodesLeft(platform, account.id)) === undefined) return;
  const { id, email, passwordVersion = "" } = account;
  const link = { purpose: "code", email, account: id, password: passwordVersion, next: "/" } as const;
  const expires = new Date(platform.clock.now() + challengeMs);
  // Each sign-in has its own challenge, because several can be in progress.
  const subject = `sign-in ${randomBytes(16).toString("hex")}`;
  const challenge = await refusing(conflicts, () =>
    transact(platform, (transaction) => Promise.resolve(addLink(transaction, subject, link, expires))),
  );
  throw new CodeNeeded(challenge);
}

/** The second step of a sign-in: a code, and the challenge that proves that the password was correct. */
export interface SecondStep {
  readonly challenge: string;
  readonly code: string;
}

/**
 * Returns the account of a challenge, and its password version at the first step, if the code is correct. Uses up the
 * code and the challenge in one transaction. Throws a 401 for an expired challenge or a wrong code; after a wrong code,
 * the challenge remains valid.
 */
export async function verifySecondStep(
  { platform }: SignInTarget,
  { challenge, code }: SecondStep,
): Promise<{ readonly account: Account; readonly passwordVersion: string }> {
  const link = await findLink(platform, challenge);
  if (link?.purpose !== "code") throw expired();
  await countAttempt(platform, "code", link.account);
  const spend = async (): Promise<void> => {
    await transact(platform, async (transaction) => {
      if ((await takeLinkIn(transaction, challenge)) === undefined) throw expired();
      await spendCode(platform, transaction, link.account, code);
    });
  };
  try {
    await refusing(conflicts, spend);
  } catch (error) {
    if (error instanceof StatusError && error.message === texts.wrongCode)
      throw new CodeNeeded(challenge, error.message);
    throw error;
  }
  const account = await platform.accounts.get(link.account);
  if (account === undefined) throw expired();
  return { account, passwordVersion: link.password };
}

function expired(): StatusError {
  return new StatusError(401, texts.lateCode);
}
