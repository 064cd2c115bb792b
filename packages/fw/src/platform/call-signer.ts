import { createPrivateKey, type KeyObject } from "node:crypto";
import { mintCall } from "./calls.ts";

/** Lifetime, in milliseconds, of a token for calls between processes. */
const callTokenMs = 60_000;

interface CachedToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Signs the calls of one identity to processes on this machine or others. */
export class CallSigner {
  readonly #identity: string;
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly #tokens = new Map<string, CachedToken>();

  /** `privateKey` is PKCS #8 in base64. `now` returns milliseconds since 1970 on the clock that verifiers share. */
  constructor(identity: string, privateKey: string, now: () => number = Date.now) {
    this.#identity = identity;
    this.#now = now;
    this.#key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  }

  /** Returns a token for calls to the audience. Reuses a token until half of its lifetime has passed. */
  tokenFor(audience: string): string {
    const now = this.#now();
    const cached = this.#tokens.get(audience);
    if (cached !== undefined && cached.expires - now > callTokenMs / 2) return cached.token;
    const expires = now + callTokenMs;
    const token = mintCall(this.#key, { audience, invoker: this.#identity }, expires);
    this.#tokens.set(audience, { token, expires });
    return token;
  }
}
