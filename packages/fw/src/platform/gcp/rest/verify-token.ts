import { recordIn } from "../../../lib/record-in.ts";
import { isSignedBy, readJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";

export interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  readonly [name: string]: unknown;
}

export interface TokenConditions {
  readonly audience: string;
  readonly issuers: readonly string[];
  readonly keys: KeySet;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The tolerated clock skew in seconds: five minutes plus the duration of a request. */
const skewSeconds = 330;

/** The maximum token length in characters; Google's tokens are ten times shorter. */
const longestToken = 16_384;

/**
 * Verifies that a token is signed with RS256 by a key of the set, intended for this audience and valid now. Returns its
 * claims or the reason for the refusal.
 */
export async function verifyToken(
  token: string,
  expected: TokenConditions,
): Promise<Claims | { readonly refused: string }> {
  if (token.length > longestToken) return refuse("it is too long");
  const jws = readJws(token);
  if ("refused" in jws) return jws;
  if (jws.kid === undefined) return refuse("it has no key id");
  const key = await expected.keys.key(jws.kid);
  if (key === undefined) return refuse("it is signed with an unknown key");
  if (!isSignedBy(jws, key)) return refuse("its signature is invalid");
  return readClaims(jws.payload, expected);
}

/** Checks the claims of a payload whose signature is verified elsewhere. */
export function readClaims(
  payload: Buffer,
  { audience, issuers, now }: Omit<TokenConditions, "keys">,
): Claims | { readonly refused: string } {
  const claims = recordIn(payload.toString());
  if (claims === undefined) return refuse("its payload is not a JSON object");
  const { iss, aud, sub, iat, exp, nbf } = claims;
  const seconds = now / 1000;
  if (typeof iss !== "string" || !issuers.includes(iss)) return refuse(`its issuer is ${shown(iss)}`);
  if (aud !== audience) return refuse(`its audience is ${shown(aud)}`);
  if (typeof sub !== "string" || sub === "") return refuse("it has no subject");
  if (typeof exp !== "number" || typeof iat !== "number") return refuse("it has no expiry or no time of issue");
  if (exp + skewSeconds <= seconds) return refuse("it has expired");
  if (iat - skewSeconds > seconds) return refuse("its time of issue is in the future");
  if (nbf !== undefined && !(typeof nbf === "number" && nbf - skewSeconds <= seconds))
    return refuse("it is not valid yet");
  return { ...claims, iss, aud: audience, sub, iat, exp };
}

function refuse(refused: string): { readonly refused: string } {
  return { refused };
}

/** Formats a claim for a log line. */
function shown(claim: unknown): string {
  return claim === undefined ? "missing" : JSON.stringify(claim).slice(0, 200);
}
