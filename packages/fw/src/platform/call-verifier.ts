import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";
import { recordIn } from "../lib/record-in.ts";
import { callHeader, type CallClaims } from "./calls.ts";

/** Number of verified tokens to cache. Beyond it, the oldest is evicted and must be verified again. */
const cachedCallTokens = 1_000;

/** The caller's identity, or the reason for the refusal as a phrase. */
export type OpenedCall = { readonly invoker: string } | { readonly refused: string };

interface VerifiedCall {
  readonly invoker: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const grammar = /^([\w-]{1,64})\.([\w-]{1,4096})\.([\w-]{86})$/;

/**
 * Verifies the tokens of calls to one audience. Caches verified tokens until they expire, because verifying a signature
 * is slow.
 */
export class CallVerifier {
  readonly #audience: string;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  /** Keyed by the token's hash; oldest first. */
  readonly #verified = new Map<string, VerifiedCall>();

  /** `publicKeys` maps identities to SPKI in base64. */
  constructor(audience: string, publicKeys: Readonly<Record<string, string>>) {
    this.#audience = audience;
    this.trust(publicKeys);
  }

  trust(publicKeys: Readonly<Record<string, string>>): void {
    this.#verified.clear();
    this.#keys = new Map(Object.entries(publicKeys).map(([identity, key]) => [identity, publicKeyOf(key)]));
  }

  /** Verifies a token at `now` (milliseconds since 1970) and returns its caller. */
  open(token: string, now: number): OpenedCall {
    const hash = createHash("sha256").update(token).digest("base64");
    const cached = this.#verified.get(hash);
    if (cached !== undefined && cached.expires > now) return { invoker: cached.invoker };
    const opened = this.#check(token, now);
    if ("refused" in opened) return opened;
    this.#remember(hash, opened);
    return { invoker: opened.invoker };
  }

  /** Returns the reason why the token does not identify `invoker`; undefined if it does. */
  refusal(token: string, invoker: string, now: number): string | undefined {
    const opened = this.open(token, now);
    if ("refused" in opened) return opened.refused;
    return opened.invoker === invoker ? undefined : `the caller is ${JSON.stringify(opened.invoker)}`;
  }

  #check(token: string, now: number): VerifiedCall | { readonly refused: string } {
    const claims = claimsIn(token);
    if (claims === undefined) return { refused: "the token is malformed" };
    const key = this.#keys.get(claims.iss);
    if (key === undefined || !isSealed(token, key)) return { refused: "the token is not signed by a known caller" };
    if (claims.aud !== this.#audience) return { refused: `the token's audience is ${JSON.stringify(claims.aud)}` };
    const expires = claims.exp * 1000;
    return expires > now ? { invoker: claims.iss, expires } : { refused: "the token has expired" };
  }

  #remember(hash: string, verified: VerifiedCall): void {
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= cachedCallTokens && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.delete(hash);
    this.#verified.set(hash, verified);
  }
}

function publicKeyOf(key: string): KeyObject {
  return createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
}

/** Returns a token's claims without verifying them; undefined if the token is malformed. */
export function claimsIn(token: string): CallClaims | undefined {
  const [, header, payload = ""] = grammar.exec(token) ?? [];
  if (header !== callHeader) return undefined;
  const { iss, aud, exp } = recordIn(Buffer.from(payload, "base64url").toString()) ?? {};
  return typeof iss === "string" && typeof aud === "string" && typeof exp === "number" ? { iss, aud, exp } : undefined;
}

/** True if a token's signature is valid and in canonical base64url encoding. */
function isSealed(token: string, key: KeyObject): boolean {
  const dot = token.lastIndexOf(".");
  const signingInput = token.slice(0, dot);
  const seal = token.slice(dot + 1);
  const bytes = Buffer.from(seal, "base64url");
  return bytes.toString("base64url") === seal && verify(undefined, Buffer.from(signingInput), key, bytes);
}
