import { hash, randomBytes } from "node:crypto";
import { StatusError } from "../../../declare/errors.ts";
import { equalTexts } from "../../../lib/equal-texts.ts";
import type { Key, Platform, Transaction } from "../../../platform/contract.ts";
import { transact } from "../../../platform/transact.ts";
import type { Fields } from "../../../platform/values.ts";
import * as texts from "./account-texts.ts";
import { factorKind } from "./kinds.ts";
import { base32, newSecret, stepOfCode } from "./totp.ts";

/** Limit: recovery codes that replace a lost authenticator app, each usable once. */
const recoveryCodes = 10;

/** The number of random bytes in a recovery code. */
const recoveryBytes = 10;

/** Milliseconds within which a new second factor must be confirmed with a code. */
const setupMs = 3_600_000;

interface Factor extends Fields {
  /** The secret in base64url. It is not hashed, because codes are computed from it. */
  readonly secret: string;
  /** False until a first code has proven that the app has the secret. */
  readonly isOn: boolean;
  /** The step of the last accepted code; codes of that step or earlier ones are refused. */
  readonly lastStep: number;
  /** The hashes of the unused recovery codes. */
  readonly recovery: readonly string[];
}

/** Returns the number of unused recovery codes; undefined if the account has no second factor that is on. */
export async function recoveryCodesLeft({ entities }: Platform, accountId: string): Promise<number | undefined> {
  const factor = (await entities.get(keyOf(accountId)))?.fields as Factor | undefined;
  return factor?.isOn ? factor.recovery.length : undefined;
}

/** Starts to set up a second factor and returns its secret. Throws a 409 if one is already on. */
export function beginSetup(platform: Platform, accountId: string): Promise<Buffer> {
  const secret = newSecret();
  return transact(platform, async (transaction) => {
    if ((await factorIn(transaction, accountId))?.isOn) throw new StatusError(409, texts.factorIsOn);
    const factor: Factor = { secret: secret.toString("base64url"), isOn: false, lastStep: 0, recovery: [] };
    const expires = new Date(platform.clock.now() + setupMs);
    transaction.upsert(keyOf(accountId), factor, { expires });
    return secret;
  });
}

/**
 * Returns the secret of a second factor in setup if `text` is its base32 form; otherwise undefined. Only the page after
 * the password check shows the secret, so a stolen session does not reveal it.
 */
export async function secretInSetup(
  { entities }: Platform,
  accountId: string,
  text: string,
): Promise<Buffer | undefined> {
  const factor = (await entities.get(keyOf(accountId)))?.fields as Factor | undefined;
  if (factor === undefined || factor.isOn) return undefined;
  const secret = Buffer.from(factor.secret, "base64url");
  return equalTexts(base32(secret), text) ? secret : undefined;
}

/**
 * Turns a second factor on with its first code, and returns the recovery codes. Throws a 401 for a wrong code, and a
 * 409 if the factor is already on.
 */
export function confirmSetup(platform: Platform, accountId: string, code: string): Promise<readonly string[]> {
  return transact(platform, async (transaction) => {
    const factor = await factorIn(transaction, accountId);
    if (factor?.isOn) throw new StatusError(409, texts.factorIsOn);
    const lastStep = factor && usedStep(platform, factor, code);
    if (factor === undefined || lastStep === undefined) throw new StatusError(401, texts.wrongCode);
    const codes = newRecoveryCodes();
    transaction.upsert(keyOf(accountId), { ...factor, isOn: true, lastStep, recovery: codes.map(hashOf) });
    return codes;
  });
}

/** Replaces the recovery codes. Throws a 401 for a wrong code. */
export function renewRecoveryCodes(platform: Platform, accountId: string, code: string): Promise<readonly string[]> {
  return transact(platform, async (transaction) => {
    await spendCode(platform, transaction, accountId, code);
    const factor = await factorIn(transaction, accountId);
    const codes = newRecoveryCodes();
    if (factor !== undefined) transaction.upsert(keyOf(accountId), { ...factor, recovery: codes.map(hashOf) });
    return codes;
  });
}

/** Turns a second factor off. Throws a 401 for a wrong code. */
export function turnOff(platform: Platform, accountId: string, code: string): Promise<void> {
  return transact(platform, async (transaction) => {
    await spendCode(platform, transaction, accountId, code);
    transaction.delete(keyOf(accountId));
  });
}

export function removeFactor({ entities }: Pick<Platform, "entities">, accountId: string): Promise<void> {
  return entities.delete(keyOf(accountId));
}

/** Uses up a code from the app, or a recovery code. Throws a 401 for a wrong code, which aborts the transaction. */
export async function spendCode(
  platform: Pick<Platform, "clock">,
  transaction: Pick<Transaction, "get" | "upsert">,
  accountId: string,
  code: string,
): Promise<void> {
  const factor = await factorIn(transaction, accountId);
  const next = factor?.isOn ? afterUse(platform, factor, code) : undefined;
  if (next === undefined) throw new StatusError(401, texts.wrongCode);
  transaction.upsert(keyOf(accountId), next);
}

/** Returns the factor after a code was used; undefined for a wrong code. */
function afterUse(platform: Pick<Platform, "clock">, factor: Factor, typed: string): Factor | undefined {
  const lastStep = usedStep(platform, factor, typed);
  if (lastStep !== undefined) return { ...factor, lastStep };
  const hash = hashOf(typed);
  const left = factor.recovery.filter((each) => !equalTexts(each, hash));
  return left.length === factor.recovery.length ? undefined : { ...factor, recovery: left };
}

function usedStep({ clock }: Pick<Platform, "clock">, { secret, lastStep }: Factor, typed: string): number | undefined {
  const bytes = Buffer.from(secret, "base64url");
  return stepOfCode(typed.replaceAll(/\s/g, ""), { secret: bytes, now: clock.now(), after: lastStep });
}

async function factorIn(transaction: Pick<Transaction, "get">, accountId: string): Promise<Factor | undefined> {
  return (await transaction.get(keyOf(accountId)))?.fields as Factor | undefined;
}

/** Creates codes of 80 random bits, written as four groups of four characters. */
function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodes }, () => {
    return base32(randomBytes(recoveryBytes)).replaceAll(/(.{4})(?!$)/g, "$1-");
  });
}

/** Hashes a recovery code, ignoring case, spaces and hyphens. 80 random bits need neither salt nor stretching. */
function hashOf(code: string): string {
  return hash("sha256", code.replaceAll(/[\s-]/g, "").toUpperCase(), "base64url");
}

function keyOf(id: string): Key {
  return { kind: factorKind, id };
}
