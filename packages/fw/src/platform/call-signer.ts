import { createPrivateKey, type KeyObject } from "node:crypto";
import { mintCall } from "./calls.ts";

/** Milliseconds that a token lasts with which one process of a machine calls another. */
const callTokenMs = 60_000;

interface Minted {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Says to other processes of this machine who calls them. */
export class CallSigner {
  readonly #identity: string;
  readonly #key: KeyObject;
  readonly #minted = new Map<string, Minted>();

  /** The key is the identity's own, PKCS #8 in base64. */
  constructor(identity: string, privateKey: string) {
    this.#identity = identity;
    this.#key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  }

  /** A token for calls of the audience. One serves many calls, while half of its time is left. */
  tokenFor(audience: string): string {
    const now = Date.now();
    const before = this.#minted.get(audience);
    if (before !== undefined && before.expires - now > callTokenMs / 2) return before.token;
    const expires = now + callTokenMs;
    const token = mintCall(this.#key, { audience, invoker: this.#identity }, expires);
    this.#minted.set(audience, { token, expires });
    return token;
  }
}
