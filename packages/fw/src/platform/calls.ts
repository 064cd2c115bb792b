import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/** Who calls whom. */
export interface Call {
  /** The service that is called. */
  readonly audience: string;
  /** The identity that calls. */
  readonly invoker: string;
}

/** What a token says, as in RFC 7519; times are seconds since 1970. */
export interface CallClaims {
  readonly iss: string;
  readonly aud: string;
  readonly exp: number;
}

/** The keys of an identity, as texts: who calls has the private one, and those who are called have the public one. */
export interface CallKeys {
  /** PKCS #8 in base64. */
  readonly privateKey: string;
  /** SPKI in base64. */
  readonly publicKey: string;
}

/** The same for every token: who reads one decides how it is read. */
export const callHeader: string = Buffer.from(`{"alg":"EdDSA","typ":"JWT"}`).toString("base64url");

export function newCallKeys(): CallKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "der" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  return { privateKey: privateKey.toString("base64"), publicKey: publicKey.toString("base64") };
}

/** A token with which one process of this machine calls another, until `expires` (milliseconds since 1970). */
export function mintCall(privateKey: KeyObject, { audience, invoker }: Call, expires: number): string {
  const claims: CallClaims = { iss: invoker, aud: audience, exp: expires / 1000 };
  const said = `${callHeader}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${said}.${sign(undefined, Buffer.from(said), privateKey).toString("base64url")}`;
}
