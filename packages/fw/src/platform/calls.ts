import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

export interface Call {
  /** The called service. */
  readonly audience: string;
  /** The calling identity. */
  readonly invoker: string;
}

/** A token's claims, as in RFC 7519. Times are in seconds since 1970. */
export interface CallClaims {
  readonly iss: string;
  readonly aud: string;
  readonly exp: number;
}

/** An identity's key pair as text. The caller has the private key; the services that it calls have the public key. */
export interface CallKeys {
  /** PKCS #8 in base64. */
  readonly privateKey: string;
  /** SPKI in base64. */
  readonly publicKey: string;
}

/** The header of every token. The verifier always uses this algorithm and never trusts the token's header. */
export const callHeader: string = Buffer.from(`{"alg":"EdDSA","typ":"JWT"}`).toString("base64url");

export function newCallKeys(): CallKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "der" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  return { privateKey: privateKey.toString("base64"), publicKey: publicKey.toString("base64") };
}

/**
 * Signs a token for a call to a process on this machine or another, valid until `expires` (milliseconds since 1970).
 */
export function mintCall(privateKey: KeyObject, { audience, invoker }: Call, expires: number): string {
  const claims: CallClaims = { iss: invoker, aud: audience, exp: expires / 1000 };
  const signingInput = `${callHeader}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signingInput}.${sign(undefined, Buffer.from(signingInput), privateKey).toString("base64url")}`;
}
