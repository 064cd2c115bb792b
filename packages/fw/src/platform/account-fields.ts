import { accountNameCharacters, passwordBytes } from "../lib/limits.ts";
import type { AccountFields, Claims } from "./accounts.ts";
import { isStorableId } from "./document.ts";
import { PlatformError } from "./errors.ts";

/** Limit: UTF-8 bytes in an account's address. */
const emailBytes = 254;

/** Limit: characters in an account's id. */
const accountIdCharacters = 128;

/** Limit: bytes of an account's claims as JSON, including its roles. */
export const accountClaimsBytes: number = 16 * 1024;

export function isAddress(email: string): boolean {
  if (Buffer.byteLength(email) > emailBytes || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)) return false;
  return !email
    .slice(email.indexOf("@") + 1)
    .split(".")
    .includes("");
}

/** Whether the string can be an account's name; an empty string can. */
export function isAccountName(name: string): boolean {
  return name.length <= accountNameCharacters && !/[\p{Cc}\p{Surrogate}]/u.test(name);
}

/**
 * Whether the string can be a password. NULs are rejected: HMAC pads its key with NULs, so it ignores trailing ones.
 */
export function isPassword(password: string): boolean {
  const fits = password !== "" && password.length <= passwordBytes && Buffer.byteLength(password) <= passwordBytes;
  return fits && !/[\0\p{Surrogate}]/u.test(password);
}

/** Checks the fields of an account. Throws a PlatformError `document` if one is invalid. */
export function checkAccountFields({ id, email, name, password, claims }: AccountFields): void {
  if (id !== undefined && (id.length > accountIdCharacters || !isStorableId(id)))
    throw defect(`the id of an account must have 1 to ${accountIdCharacters} characters and be a valid document id`);
  if (!isAddress(email)) throw defect("the address of an account is not an email address");
  if (!isAccountName(name))
    throw defect(
      `the name of an account may have at most ${accountNameCharacters} characters and no control characters`,
    );
  if (password !== undefined) checkPasswordText(password);
  checkClaims(claims);
}

/** Checks a password. Throws a PlatformError `document` if it is empty, too long, or has a NUL or a lone surrogate. */
export function checkPasswordText(password: string): void {
  if (!isPassword(password)) throw defect(`a password must have 1 to ${passwordBytes} bytes and no NUL`);
}

/** Checks the size of an account's claims. Throws a PlatformError `document` if they are too large. */
export function checkClaims(claims: Claims, maxBytes: number = accountClaimsBytes): void {
  if (Buffer.byteLength(JSON.stringify(claims)) > maxBytes) throw defect(claimsTooLarge(maxBytes));
}

/**
 * Normalizes an address for comparison. Lower-cases ASCII letters only, because some other letters lower-case to ASCII
 * ones.
 */
export function addressKey(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).normalize("NFC");
}

export function claimsTooLarge(maxBytes: number): string {
  return `the claims of an account, including its roles, may have at most ${maxBytes} bytes as JSON`;
}

function defect(message: string): PlatformError {
  return new PlatformError("document", message);
}
