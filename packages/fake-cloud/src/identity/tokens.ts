import { randomBytes, verify } from "node:crypto";
import type { CloudClock } from "../clock.ts";
import { KeyPairs, SigningKeys, type Claims } from "./keys.ts";

/** The lifetime of Google's access tokens and ID tokens in milliseconds. */
const lifetime = 3_600_000;

/** Issues and verifies tokens. */
export class Tokens {
  readonly #pairs: KeyPairs = new KeyPairs();
  /** Signs Google's ID tokens (`accounts.google.com`). */
  readonly google: SigningKeys = new SigningKeys("google", this.#pairs);
  /** Signs ID tokens of Identity Platform (`securetoken.google.com`). */
  readonly securetoken: SigningKeys = new SigningKeys("securetoken", this.#pairs);
  readonly #clock: CloudClock;
  readonly #access = new Map<string, { readonly email: string; readonly expires: number }>();
  readonly #newest = new Map<string, string>();
  readonly #accounts = new Map<string, SigningKeys>();

  constructor(clock: CloudClock) {
    this.#clock = clock;
  }

  /** Returns an account's access token: the same one until five minutes before its expiry, like the metadata server. */
  access(email: string): { token: string; seconds: number } {
    const newest = this.#newest.get(email) ?? "";
    const remaining = (this.#access.get(newest)?.expires ?? 0) - this.#clock.now();
    if (remaining > 300_000) return { token: newest, seconds: Math.floor(remaining / 1000) };
    const token = `ya29.c.${randomBytes(48).toString("base64url")}`;
    this.#access.set(token, { email, expires: this.#clock.now() + lifetime });
    this.#newest.set(email, token);
    return { token, seconds: lifetime / 1000 - 1 };
  }

  /** Returns the account of a valid access token; undefined for any other token. */
  accountOf(token: string): string | undefined {
    const known = this.#access.get(token);
    return known && known.expires > this.#clock.now() ? known.email : undefined;
  }

  /** Revokes all access tokens of an account. */
  revoke(email: string): void {
    for (const [token, known] of this.#access) if (known.email === email) this.#access.delete(token);
  }

  /** Issues an ID token of an account for an audience. */
  id(email: string, audience: string): Promise<string> {
    const seconds = Math.floor(this.#clock.now() / 1000);
    const subject = subjectOf(email);
    return this.google.token({
      aud: audience,
      azp: subject,
      email,
      email_verified: true,
      exp: seconds + lifetime / 1000,
      iat: seconds,
      iss: "https://accounts.google.com",
      sub: subject,
    });
  }

  /** Returns the claims of a valid ID token of Google; undefined for any other token. */
  async verified(token: string): Promise<Claims | undefined> {
    const [head = "", body = "", signature = ""] = token.split(".");
    const signed = Buffer.from(`${head}.${body}`);
    const keys = await this.google.publicKeys();
    if (!keys.some((key) => verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")))) return undefined;
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
    return Number(claims["exp"]) * 1000 > this.#clock.now() ? claims : undefined;
  }

  /** Returns the signing keys of a service account. */
  keysOf(email: string): SigningKeys {
    const keys = this.#accounts.get(email) ?? new SigningKeys(subjectOf(email), this.#pairs);
    this.#accounts.set(email, keys);
    return keys;
  }
}

/** Returns the numeric id of an account. */
export function subjectOf(email: string): string {
  let number = 7n;
  for (const byte of Buffer.from(email)) number = (number * 131n + BigInt(byte)) % 10n ** 20n;
  return `1${number.toString().padStart(20, "0")}`;
}
