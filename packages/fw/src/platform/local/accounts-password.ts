import { pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Lane } from "../../lib/lane.ts";
import { passwordDerivations, passwordIterations, passwordsWaiting } from "../../lib/limits.ts";
import { isPassword } from "../account-fields.ts";
import { PlatformError } from "../errors.ts";

/** Random bytes that go into what is kept of a password. */
export const passwordSaltBytes = 16;

const derive = promisify(pbkdf2);

/** Bytes of SHA-512, which one round of the derivation gives. */
const keyBytes = 64;

/** What is kept of a password. */
interface Verifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** What is compared where there is no account: no password has it. */
const nobodys: Verifier = {
  iterations: passwordIterations,
  salt: Buffer.alloc(passwordSaltBytes),
  key: Buffer.alloc(keyBytes),
};

/**
 * Makes and checks password verifiers (PBKDF2-HMAC-SHA-512), off the event loop and a few at a time. Both fail with `busy`
 * where too many wait.
 */
export class Passwords {
  readonly #lane = new Lane(passwordDerivations);

  /** What is kept of the password: `pbkdf2-sha512$<iterations>$<salt>$<key>`, in base64url. */
  async verifierOf(password: string): Promise<string> {
    const salt = randomBytes(passwordSaltBytes);
    const key = await this.#derive(password, salt, passwordIterations);
    return ["pbkdf2-sha512", passwordIterations, salt.toString("base64url"), key.toString("base64url")].join("$");
  }

  /** Whether the password is the verifier's. Takes one derivation, whatever is given. */
  async matches(password: string, kept: string | undefined): Promise<boolean> {
    const possible = isPassword(password);
    const { iterations, salt, key } = kept === undefined ? nobodys : readVerifier(kept);
    const derived = await this.#derive(possible ? password : "", salt, iterations);
    return timingSafeEqual(derived, key) && possible;
  }

  async #derive(password: string, salt: Uint8Array, iterations: number): Promise<Buffer> {
    if (this.#lane.waiting === passwordsWaiting)
      throw new PlatformError("busy", `${passwordsWaiting} passwords wait to be derived`);
    return this.#lane.run(() => derive(password, salt, iterations, keyBytes, "sha512"));
  }
}

/** Whether a text is what this store keeps of a password. */
export function isVerifier(text: string): boolean {
  return /^pbkdf2-sha512\$[1-9]\d{0,8}\$[\w-]+\$[\w-]{86}$/.test(text);
}

function readVerifier(kept: string): Verifier {
  const [, iterations, salt = "", key = ""] = kept.split("$");
  return { iterations: Number(iterations), salt: Buffer.from(salt, "base64url"), key: Buffer.from(key, "base64url") };
}
