import { constants, createPublicKey, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import { recordIn } from "../../../lib/record-in.ts";

/** A key of a published key set. */
export interface Jwk extends JsonWebKey {
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
  readonly key_ops?: readonly string[];
}

/** The parts of a token. Trust none of them before the signature is verified. */
export interface Jws {
  readonly kid: string | undefined;
  readonly payload: Buffer;
  readonly signingInput: Buffer;
  readonly signature: Buffer;
}

/** Parses a token without verifying its signature. Returns the reason if it is not a token signed with RS256. */
export function readJws(token: string): Jws | { readonly refused: string } {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  const parts = [head, body, signature].map(decode);
  const [header, payload, signatureBytes] = parts;
  if (more.length > 0 || !header || !payload || !signatureBytes) return { refused: "it is not a signed token" };
  const fields = recordIn(header.toString());
  if (fields === undefined) return { refused: "its header is not JSON" };
  // Accepts only RS256: the token must not choose how it is verified.
  if (fields["alg"] !== "RS256") return { refused: "it is not signed with RS256" };
  if ("crit" in fields || "b64" in fields) return { refused: "its header uses unsupported extensions" };
  const kid = fields["kid"];
  if (kid !== undefined && typeof kid !== "string") return { refused: "its key id is not a string" };
  return { kid, payload, signingInput: Buffer.from(`${head}.${body}`), signature: signatureBytes };
}

/** Imports a published RS256 key; returns undefined for keys that must not verify tokens. */
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

export function isSignedBy({ signingInput, signature }: Jws, key: KeyObject): boolean {
  return verify("sha256", signingInput, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
}

/** The minimum key size in bits according to RFC 7518. */
const shortestModulus = 2048;

/** Decodes canonical base64url; returns undefined for any other encoding. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
