import { createHmac, randomBytes } from "node:crypto";
import { equalTexts } from "../../../lib/equal-texts.ts";

/** Limit: seconds that an authenticator app shows a code. */
export const stepSeconds = 30;

/** Limit: steps before and after the current one whose codes are accepted, because clocks differ. */
const driftSteps = 1;

/** The number of bytes in a secret: the length of SHA-1's output, as RFC 4226 recommends. */
const secretBytes = 20;

/** The parameters of TOTP codes. Authenticator apps assume the defaults. */
export interface CodeFormat {
  readonly digits?: number;
  readonly algorithm?: "sha1" | "sha256" | "sha512";
}

export function newSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** Returns the TOTP time step that contains an instant, given in milliseconds since 1970. */
export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / (stepSeconds * 1_000));
}

/** Returns the TOTP code of a time step (RFC 6238, RFC 4226). */
export function codeAt(secret: Uint8Array, step: number, { digits = 6, algorithm = "sha1" }: CodeFormat = {}): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(algorithm, secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * Returns the step of a code: one near the current step and later than `after`, the step of the last used code;
 * undefined if none matches. Compares the codes of all near steps, so timing does not reveal which one matched.
 */
export function stepOfCode(
  code: string,
  { secret, now, after }: { readonly secret: Uint8Array; readonly now: number; readonly after: number },
): number | undefined {
  const current = stepAt(now);
  let matching: number | undefined;
  for (let step = current - driftSteps; step <= current + driftSteps; step++) {
    const isEqual = equalTexts(codeAt(secret, step), code);
    if (isEqual && step > after && matching === undefined) matching = step;
  }
  return matching;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes in base32 (RFC 4648), without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}

/** Returns the URL that authenticator apps read from a link or a QR code. */
export function provisioningURL(secret: Uint8Array, app: string, email: string): string {
  const label = `${encodeURIComponent(app)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(app)}`;
}
