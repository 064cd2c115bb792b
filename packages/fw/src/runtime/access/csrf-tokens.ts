import { createHmac, randomBytes, randomFillSync, timingSafeEqual } from "node:crypto";
import type { Session } from "../auth/sessions.ts";
import type { Headers } from "../exchange/exchange.ts";
import type { ResponseDraft } from "../response-draft.ts";
import { cookieName } from "../../lib/cookie-names.ts";
import { readCookie, setCookie } from "./cookies.ts";

const secretBytes = 32;
const cookie = "fw_csrf";
const encodedSecret = /^[A-Za-z0-9_-]{43}$/;
const encodedToken = /^[A-Za-z0-9_-]{86}$/;

/** The parts of a request that form tokens depend on. */
interface CsrfRequest {
  readonly exchange: Headers;
  readonly secure: boolean;
  readonly session: Session | undefined;
  readonly draft: Pick<ResponseDraft, "cookies" | "csrfSecret">;
  readonly collected: Pick<ResponseDraft, "csrfSecret"> | undefined;
}

/** The default key over HTTP. It lasts as long as the process, so forms remain valid after a code reload. */
const processKey = randomBytes(secretBytes);

/**
 * The default key over HTTPS. It is public: the cookie alone is the secret, and all instances accept each other's
 * forms. The `__Host-` prefix prevents other hosts and plain HTTP from setting the cookie.
 */
const publicKey = Buffer.from("fw form tokens of anonymous browsers, without a secret key");

/**
 * Creates and verifies form tokens. A session's token is a secret in its record. An anonymous browser has a random
 * secret in a cookie, and its token is an HMAC of the cookie. Every copy of a token is masked differently, so
 * compressed pages do not reveal it byte by byte.
 */
export class CsrfTokens {
  readonly #key: Uint8Array | undefined;

  constructor(key?: Uint8Array) {
    if (key !== undefined && key.byteLength < secretBytes)
      throw new RangeError(`a CSRF key needs at least ${secretBytes} bytes`);
    this.#key = key;
  }

  /** Creates a token for a form in this response. Sets the browser's cookie if it does not have a valid one. */
  issue(request: CsrfRequest): string {
    const secret = this.#binding(request);
    if (secret !== undefined) return mask(secret);
    const key = this.key(request);
    const value = newSecret(key);
    request.draft.cookies.push(setCookie(cookie, value, request.secure));
    request.draft.csrfSecret = value;
    return mask(tokenOf(key, value));
  }

  issueFor({ csrf }: Session): string {
    return mask(Buffer.from(csrf, "base64url"));
  }

  /** True if `token` was issued to the browser that sent this request. */
  verify(request: CsrfRequest, token: string | undefined): boolean {
    const expected = this.#binding(request);
    if (expected === undefined || token === undefined) return false;
    const unmasked = unmask(token);
    return unmasked !== undefined && timingSafeEqual(unmasked, expected);
  }

  /**
   * Returns the secret behind the request's tokens, from its session or derived from its cookie; undefined without a
   * session or a valid cookie.
   */
  #binding(request: CsrfRequest): Uint8Array | undefined {
    if (request.session !== undefined) return Buffer.from(request.session.csrf, "base64url");
    const value =
      request.collected?.csrfSecret ??
      readCookie(request.exchange.header("cookie"), cookieName(cookie, request.secure));
    const key = this.key(request);
    return value !== undefined && isSealed(key, value) ? tokenOf(key, value) : undefined;
  }

  /** Returns the key that seals the cookies of the request's browser. */
  key({ secure }: Pick<CsrfRequest, "secure">): Uint8Array {
    return this.#key ?? (secure ? publicKey : processKey);
  }
}

/** Creates a cookie value `<random>.<its HMAC>`. If the key is secret, fw rejects values created elsewhere. */
function newSecret(key: Uint8Array): string {
  const random = randomBytes(secretBytes).toString("base64url");
  return `${random}.${hmac(key, "cookie", random).toString("base64url")}`;
}

function isSealed(key: Uint8Array, value: string): boolean {
  const [random = "", seal = "", ...more] = value.split(".", 3);
  if (more.length > 0 || !encodedSecret.test(random) || !encodedSecret.test(seal)) return false;
  return timingSafeEqual(Buffer.from(seal, "base64url"), hmac(key, "cookie", random));
}

function tokenOf(key: Uint8Array, value: string): Uint8Array {
  return hmac(key, "anonymous token", value);
}

function hmac(key: Uint8Array, purpose: string, text: string): Buffer {
  return createHmac("sha256", key).update(`${purpose}\0${text}`).digest();
}

/** Removes the cookie with an anonymous browser's secret, which invalidates its form tokens. */
export function forgetCsrfCookie(request: CsrfRequest): void {
  const value = readCookie(request.exchange.header("cookie"), cookieName(cookie, request.secure));
  if (value !== undefined) request.draft.cookies.push(setCookie(cookie, "", request.secure, 0));
}

/** Returns a random mask followed by the token XOR the mask, in base64url. */
function mask(token: Uint8Array): string {
  const out = randomFillSync(Buffer.alloc(2 * secretBytes), 0, secretBytes);
  for (let i = 0; i < secretBytes; i++) out[secretBytes + i] = (token[i] ?? 0) ^ (out[i] ?? 0);
  return out.toString("base64url");
}

function unmask(text: string): Uint8Array | undefined {
  if (!encodedToken.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const token = new Uint8Array(secretBytes);
  for (let i = 0; i < secretBytes; i++) token[i] = (bytes[i] ?? 0) ^ (bytes[secretBytes + i] ?? 0);
  return token;
}
