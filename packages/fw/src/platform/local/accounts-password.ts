import { hash, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Lane } from "../../lib/lane.ts";
import { passwordDerivations, passwordsWaiting } from "../../lib/limits.ts";
import { isPassword } from "../account-fields.ts";
import { PlatformError } from "../errors.ts";

/** Limit: rounds of PBKDF2-HMAC-SHA-512 for hashing a password. */
export const passwordIterations = 220_000;

/** The rounds for throwaway data, such as in tests. Its hashes are worth nothing to an attacker. */
const temporaryIterations = 1_000;

export const passwordSaltBytes = 16;

const derive = promisify(pbkdf2);

/** The size of a derived key, which is the output size of SHA-512: a longer key would need a second derivation. */
const keyBytes = 64;

/** A password's stored hash and its parameters. */
interface Verifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/**
 * Creates and checks password verifiers (PBKDF2-HMAC-SHA-512) off the event loop with limited concurrency. Both
 * operations fail with `busy` if too many are waiting.
 */
export class Passwords {
  readonly #lane = new Lane(passwordDerivations);
  readonly #iterations: number;
  /** Matches no password. Checked for unknown addresses, so that timing does not reveal them. */
  readonly #dummyVerifier: Verifier;

  constructor({ isTemporary = false }: { readonly isTemporary?: boolean } = {}) {
    this.#iterations = isTemporary ? temporaryIterations : passwordIterations;
    this.#dummyVerifier = {
      iterations: this.#iterations,
      salt: Buffer.alloc(passwordSaltBytes),
      key: Buffer.alloc(keyBytes),
    };
  }

  /** Returns the verifier to store: `pbkdf2-sha512$<iterations>$<salt>$<key>`, with salt and key in base64url. */
  async verifierOf(password: string): Promise<string> {
    const salt = randomBytes(passwordSaltBytes);
    const key = await this.#derive(password, salt, this.#iterations);
    return ["pbkdf2-sha512", this.#iterations, salt.toString("base64url"), key.toString("base64url")].join("$");
  }

  /** Whether the password matches the verifier. Always performs one derivation, so that timing reveals nothing. */
  async matches(password: string, storedVerifier: string | undefined): Promise<boolean> {
    const possible = isPassword(password);
    const { iterations, salt, key } = storedVerifier === undefined ? this.#dummyVerifier : readVerifier(storedVerifier);
    const derived = await this.#derive(possible ? password : "", salt, iterations);
    return timingSafeEqual(derived, key) && possible;
  }

  async #derive(password: string, salt: Uint8Array, iterations: number): Promise<Buffer> {
    if (this.#lane.waiting === passwordsWaiting)
      throw new PlatformError("busy", `${passwordsWaiting} passwords are waiting to be hashed; try again later`);
    return this.#lane.run(() => derive(password, salt, iterations, keyBytes, "sha512"));
  }
}

/** Whether the text has the format of a stored verifier. */
export function isVerifier(text: string): boolean {
  return /^pbkdf2-sha512\$[1-9]\d{0,8}\$[\w-]+\$[\w-]{86}$/.test(text);
}

/** Returns a value that identifies a verifier without revealing it. */
export function passwordVersion(verifier: string): string {
  return hash("sha256", `password version\0${verifier}`, "base64url").slice(0, 22);
}

function readVerifier(text: string): Verifier {
  const [, iterations, salt = "", key = ""] = text.split("$");
  return { iterations: Number(iterations), salt: Buffer.from(salt, "base64url"), key: Buffer.from(key, "base64url") };
}
