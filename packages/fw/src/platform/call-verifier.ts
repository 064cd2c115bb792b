import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";
import { recordIn } from "../lib/record-in.ts";
import { callHeader, type CallClaims } from "./calls.ts";

/** Tokens of callers whose signatures a process remembers; beyond, the oldest is checked again. */
const verifiedCallTokens = 1_000;

/** Who calls, or why the token does not count, a phrase. */
export type OpenedCall = { readonly invoker: string } | { readonly refused: string };

interface Verified {
  readonly invoker: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const grammar = /^([\w-]{1,64})\.([\w-]{1,4096})\.([\w-]{86})$/;

/** Reads the tokens of those who may call one audience. A signature is checked once and remembered until its token expires. */
export class CallVerifier {
  readonly #audience: string;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  /** By the token's hash; the oldest first. */
  readonly #verified = new Map<string, Verified>();

  /** `publicKeys` by identity, SPKI in base64. */
  constructor(audience: string, publicKeys: Readonly<Record<string, string>>) {
    this.#audience = audience;
    this.trust(publicKeys);
  }

  /** From now on the tokens of these identities count, and no others. */
  trust(publicKeys: Readonly<Record<string, string>>): void {
    this.#verified.clear();
    this.#keys = new Map(Object.entries(publicKeys).map(([identity, key]) => [identity, publicKeyOf(key)]));
  }

  /** Who calls with a token at `now`, milliseconds since 1970. */
  open(token: string, now: number): OpenedCall {
    const hash = createHash("sha256").update(token).digest("base64");
    const known = this.#verified.get(hash);
    if (known !== undefined && known.expires > now) return { invoker: known.invoker };
    const opened = this.#check(token, now);
    if ("refused" in opened) return opened;
    this.#remember(hash, opened);
    return { invoker: opened.invoker };
  }

  /** Why the token is not one of the identity, a phrase; undefined where it is. */
  refusal(token: string, invoker: string, now: number): string | undefined {
    const opened = this.open(token, now);
    if ("refused" in opened) return opened.refused;
    return opened.invoker === invoker ? undefined : `the caller is ${JSON.stringify(opened.invoker)}`;
  }

  #check(token: string, now: number): Verified | { readonly refused: string } {
    const [, header, payload = "", seal = ""] = grammar.exec(token) ?? [];
    const claims = header === callHeader ? claimsOf(payload) : undefined;
    if (claims === undefined) return { refused: "the token is malformed" };
    const key = this.#keys.get(claims.iss);
    if (key === undefined || !isSealed(`${header}.${payload}`, seal, key))
      return { refused: "the token is not signed by anybody who may call" };
    if (claims.aud !== this.#audience) return { refused: `the token's audience is ${JSON.stringify(claims.aud)}` };
    const expires = claims.exp * 1000;
    return expires > now ? { invoker: claims.iss, expires } : { refused: "the token has expired" };
  }

  #remember(hash: string, verified: Verified): void {
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= verifiedCallTokens && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.delete(hash);
    this.#verified.set(hash, verified);
  }
}

function publicKeyOf(key: string): KeyObject {
  return createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
}

function claimsOf(payload: string): CallClaims | undefined {
  const { iss, aud, exp } = recordIn(Buffer.from(payload, "base64url").toString()) ?? {};
  return typeof iss === "string" && typeof aud === "string" && typeof exp === "number" ? { iss, aud, exp } : undefined;
}

/** Of the spellings of one signature in base64 only the canonical one counts. */
function isSealed(said: string, seal: string, key: KeyObject): boolean {
  const bytes = Buffer.from(seal, "base64url");
  return bytes.toString("base64url") === seal && verify(undefined, Buffer.from(said), key, bytes);
}
