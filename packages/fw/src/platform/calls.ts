import { createHmac, timingSafeEqual } from "node:crypto";

/** Who calls whom. */
interface Call {
  /** The service that is called. */
  readonly audience: string;
  /** The identity that calls. */
  readonly invoker: string;
}

interface Claims extends Call {
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const grammar = /^([\w-]{1,4096})\.([\w-]{43})$/;

/** A token with which one process of this machine calls another, until `expires` (milliseconds since 1970). */
export function mintCall(key: Uint8Array, { audience, invoker }: Call, expires: number): string {
  const payload = Buffer.from(JSON.stringify({ audience, invoker, expires } satisfies Claims)).toString("base64url");
  return `${payload}.${seal(key, payload).toString("base64url")}`;
}

/** Who calls the audience with the token at `now`, or why it does not count, a phrase. */
export function openCall(
  key: Uint8Array,
  token: string,
  audience: string,
  now: number,
): { readonly invoker: string } | { readonly refused: string } {
  const [, payload, sealed] = grammar.exec(token) ?? [];
  if (payload === undefined || sealed === undefined) return { refused: "the token is malformed" };
  if (!timingSafeEqual(Buffer.from(sealed, "base64url"), seal(key, payload)))
    return { refused: "the token is not signed by this platform" };
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
  if (claims.audience !== audience) return { refused: `the token's audience is ${JSON.stringify(claims.audience)}` };
  return claims.expires > now ? { invoker: claims.invoker } : { refused: "the token has expired" };
}

/** Why the token does not allow the call at `now`, a phrase; undefined where it does. */
export function refusedCall(key: Uint8Array, token: string, call: Call, now: number): string | undefined {
  const opened = openCall(key, token, call.audience, now);
  if ("refused" in opened) return opened.refused;
  return opened.invoker === call.invoker ? undefined : `the caller is ${JSON.stringify(opened.invoker)}`;
}

function seal(key: Uint8Array, payload: string): Buffer {
  return createHmac("sha256", key).update(`call\0${payload}`).digest();
}
