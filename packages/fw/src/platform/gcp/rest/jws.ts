import { constants, createPublicKey, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import { recordIn } from "../../../lib/record-in.ts";

/** A key of a key set, as it is published. */
export interface Jwk extends JsonWebKey {
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
  readonly key_ops?: readonly string[];
}

/** A token in its parts. Nothing in it is known to be true before its signature is. */
export interface Jws {
  readonly kid: string | undefined;
  readonly payload: Buffer;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** The parts of a token that is signed with RS256; a reason where it is none. */
export function readJws(token: string): Jws | { readonly refused: string } {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  const parts = [head, body, signature].map(decode);
  const [header, payload, signatureBytes] = parts;
  if (more.length > 0 || !header || !payload || !signatureBytes) return { refused: "it is not a signed token" };
  const said = recordIn(header.toString());
  if (said === undefined) return { refused: "its header is not JSON" };
  // What the token names must not choose how it is checked.
  if (said["alg"] !== "RS256") return { refused: "it is not signed with RS256" };
  if ("crit" in said || "b64" in said) return { refused: "its header asks for what is not supported" };
  const kid = said["kid"];
  if (kid !== undefined && typeof kid !== "string") return { refused: "its key id is not a text" };
  return { kid, payload, signed: Buffer.from(`${head}.${body}`), signature: signatureBytes };
}

/** A published key as one that verifies RS256; undefined for one that must not. */
export function verifyingKey(jwk: Jwk): KeyObject | undefined {
  if (jwk.kty !== "RSA" || (jwk.alg ?? "RS256") !== "RS256" || (jwk.use ?? "sig") !== "sig") return undefined;
  if (jwk.key_ops !== undefined && !jwk.key_ops.includes("verify")) return undefined;
  try {
    const key = createPublicKey({ key: { kty: "RSA", n: jwk.n ?? "", e: jwk.e ?? "" }, format: "jwk" });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= shortestModulus ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the key has signed the token. */
export function isSignedBy({ signed, signature }: Jws, key: KeyObject): boolean {
  return verify("sha256", signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
}

/** Bits; RFC 7518 asks for as many. */
const shortestModulus = 2048;

/** The bytes of base64url as it must be written; undefined for any other spelling. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
