import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number) => Promise<Buffer>;

const keyBytes = 32;

/** Returns the stored form of a password: a salt and the derived key. */
export async function keep(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64url")}.${(await derive(password, salt, keyBytes)).toString("base64url")}`;
}

/**
 * Checks a password. Takes just as long for an unknown account, so that timing does not reveal which accounts exist.
 */
export async function matches(password: string, kept: string | undefined): Promise<boolean> {
  const [salt = "", key = ""] = (kept ?? "").split(".");
  const derived = await derive(password, Buffer.from(salt, "base64url"), keyBytes);
  const expected = Buffer.from(key, "base64url");
  return expected.byteLength === keyBytes && timingSafeEqual(derived, expected);
}
