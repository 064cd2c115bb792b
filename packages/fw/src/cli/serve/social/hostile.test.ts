import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clock, Platform } from "../../../platform/contract.ts";
import { systemClock } from "../../../platform/clock.ts";
import { sealText } from "../../../lib/sealed-text.ts";
import {
  encodeJson,
  FakeProvider,
  foreignKey,
  foreignPublicKey,
  publicKey,
  type Departures,
  type Json,
  type TokenParts,
} from "./testing/provider.ts";
import { clientSecret, cookieOf, serveSocial } from "./testing/served.ts";

/** Deviations of a browser, or its attacker, from a correct sign-in. */
interface Attack extends Departures {
  /** Returns the Cookie header of the request with the provider's response. */
  readonly cookie?: (cookie: string, other: string) => string;
  readonly host?: string;
  /** Milliseconds to advance the server's clock before the response arrives. */
  readonly later?: number;
  /** The number of times that the response arrives with the same cookie. Only the last outcome counts. */
  readonly times?: number;
  readonly prepare?: (platform: Platform) => Promise<unknown>;
}

const claims = (change: (claims: Json, parts: TokenParts) => void): Attack => ({
  token: (parts) => change(parts.claims, parts),
});
const header = (change: Json, key?: TokenParts["key"]): Attack => ({
  token(parts) {
    Object.assign(parts.header, change);
    if (key !== undefined) parts.key = key;
  },
});
const metadata = (change: Json): Attack => ({ metadata: (document) => void Object.assign(document, change) });
const response = (change: (parameters: URLSearchParams) => void): Attack => ({ response: change });
const grant = (change: Json): Attack => ({
  grant: ({ body }) => void Object.assign(body as Json, change),
});
const userInfo = (body: unknown, more: { readonly status?: number; readonly type?: string } = {}): Attack => ({
  token: ({ claims: own }) => void delete own["email"],
  userInfo: () => ({ body, ...more }),
});
const page = { type: "text/html", body: "<h1>Hello</h1>" };

const attacks: Readonly<Record<string, Attack>> = {
  "a response without a state": response((each) => each.delete("state")),
  "a response with another state": response((each) => each.set("state", "x")),
  "a response with an empty state": response((each) => each.set("state", "")),
  "a response with two states": response((each) => each.append("state", each.get("state") ?? "")),
  "a response without a code": response((each) => each.delete("code")),
  "a response with an empty code": response((each) => each.set("code", "")),
  "a response with two codes": response((each) => each.append("code", "x")),
  "a response with an unknown code": response((each) => each.set("code", "x")),
  "an error": response((each) => each.set("error", "access_denied")),
  "an error without a code": response((each) => (each.delete("code"), each.set("error", "server_error"))),
  "a response of another issuer": response((each) => each.set("iss", "https://other.example")),
  "a response without the issuer that the provider promises": response((each) => each.delete("iss")),
  "a response with two issuers": response((each) => each.append("iss", each.get("iss") ?? "")),
  "a response as a JWT": response((each) => each.set("response", "e30.e30.")),
  "a response with an ID token in the address": response((each) => each.set("id_token", "e30.e30.")),
  "a response with an access token in the address": response((each) => each.set("token", "at")),
  "a browser without the cookie": { cookie: () => "" },
  "a browser with an empty cookie": { cookie: () => "fw_social=" },
  "a browser with the cookie of another attempt": { cookie: (_, other) => other },
  "a cookie whose text was changed": { cookie: (cookie) => cookie.replace("fw_social=", "fw_social=e30") },
  "a cookie whose signature was changed": { cookie: (cookie) => `${cookie.slice(0, -3)}AAA` },
  "a cookie that another key signed": {
    cookie: (cookie) => {
      const text = Buffer.from(cookie.slice("fw_social=".length).split(".")[0] ?? "", "base64url").toString();
      return `fw_social=${sealText(Buffer.alloc(32), text)}`;
    },
  },
  "a cookie without a signature": { cookie: (cookie) => cookie.split(".")[0] ?? "" },
  "a cookie for secure connections": { cookie: (cookie) => `__Host-${cookie}` },
  "a response that comes too late": { later: 601_000 },
  "a response to another host": { host: "other.example" },
  "a response that comes again": { times: 2 },
  "a refused code": { grant: () => ({ status: 400, body: { error: "invalid_grant" } }) },
  "a provider that fails": { grant: () => ({ status: 500, ...page }) },
  "a page instead of tokens": { grant: () => page },
  "no tokens": { grant: () => ({ body: "" }) },
  "tokens with a syntax error": { grant: () => ({ body: "{" }) },
  "a list of tokens": { grant: (answer) => ({ body: [answer.body] }) },
  "null instead of tokens": { grant: () => ({ body: "null" }) },
  "tokens elsewhere": { grant: () => ({ status: 302, headers: { location: "/other" }, body: "" }) },
  "tokens with another status": { grant: ({ body }) => ({ status: 201, body }) },
  "no ID token": grant({ id_token: undefined }),
  "an ID token that is a number": grant({ id_token: 1 }),
  "an empty ID token": grant({ id_token: "" }),
  "no access token": grant({ access_token: undefined }),
  "an access token of an unknown type": grant({ token_type: "mac" }),
  "an ID token of two parts": { jwt: (jwt) => jwt.split(".").slice(0, 2).join(".") },
  "an encrypted ID token": { jwt: (jwt) => `${jwt}.e30.e30` },
  "an ID token with the algorithm none": header({ alg: "none" }),
  "an ID token with the algorithm None": header({ alg: "None" }),
  "an ID token with the algorithm none and a signature": {
    jwt: (jwt) => [encodeJson({ alg: "none" }), ...jwt.split(".").slice(1)].join("."),
  },
  "an ID token without an algorithm": header({ alg: undefined }),
  "an ID token signed with the application's secret": header({ alg: "HS256" }, clientSecret),
  "an ID token signed with the public key as a secret": header(
    { alg: "HS256" },
    publicKey.export({ format: "pem", type: "spki" }).toString(),
  ),
  "an ID token signed with another key": header({}, foreignKey),
  "an ID token with an unknown key": header({ kid: "2" }, foreignKey),
  "an ID token that brings its key": header({ jwk: foreignPublicKey.export({ format: "jwk" }) }, foreignKey),
  "an ID token that names its keys": header({ jku: "https://other.example/keys" }, foreignKey),
  "an ID token with an algorithm that the provider does not use": header({ alg: "RS512" }),
  "an ID token whose algorithm is not its key's": header({ alg: "ES256" }),
  "an ID token with a critical extension": header({ crit: ["b64"], b64: false }),
  "an ID token without a signature": { jwt: (jwt) => jwt.replace(/[^.]*$/, "") },
  "an ID token with half a signature": { jwt: (jwt) => jwt.slice(0, -100) },
  "an ID token whose claims were changed": {
    jwt: (jwt) => {
      const [head, body = "", signature] = jwt.split(".");
      const changed = { ...(JSON.parse(Buffer.from(body, "base64url").toString()) as Json), sub: "s2" };
      return [head, encodeJson(changed), signature].join(".");
    },
  },
  "an ID token whose header is no JSON": { jwt: (jwt) => jwt.replace(/^[^.]*/, "AAAA") },
  "an ID token whose claims are a list": { token: (parts) => void (parts.claims = [parts.claims] as unknown as Json) },
  "an ID token of another issuer": claims((own) => (own["iss"] = "https://other.example")),
  "an ID token of the issuer with a slash": claims((own) => (own["iss"] = `${String(own["iss"])}/`)),
  "an ID token without an issuer": claims((own) => delete own["iss"]),
  "an ID token for another application": claims((own) => (own["aud"] = "other")),
  "an ID token for other applications": claims((own) => (own["aud"] = ["other", "third"])),
  "an ID token for several applications": claims((own) => (own["aud"] = ["notes", "other"])),
  "an ID token that another application asked for": claims((own) =>
    Object.assign(own, { aud: ["notes", "other"], azp: "other" }),
  ),
  "an ID token for nobody": claims((own) => delete own["aud"]),
  "an ID token that has expired": claims((own) => (own["exp"] = Number(own["iat"]) - 60)),
  "an ID token without an end": claims((own) => delete own["exp"]),
  "an ID token whose end is a text": claims((own) => (own["exp"] = "tomorrow")),
  "an ID token without a time": claims((own) => delete own["iat"]),
  "an ID token that begins later": claims((own) => (own["nbf"] = Number(own["iat"]) + 600)),
  "an ID token without a nonce": claims((own) => delete own["nonce"]),
  "an ID token with another nonce": claims((own) => (own["nonce"] = "x")),
  "an ID token with an empty nonce": claims((own) => (own["nonce"] = "")),
  "an ID token without a subject": claims((own) => delete own["sub"]),
  "an ID token with an empty subject": claims((own) => (own["sub"] = "")),
  "an ID token whose subject is a number": claims((own) => (own["sub"] = 1)),
  "an ID token with a long subject": claims((own) => (own["sub"] = "s".repeat(256))),
  "an address that the provider has not verified": claims((own) => (own["email_verified"] = false)),
  "an address that may be verified": claims((own) => delete own["email_verified"]),
  "an address that is verified as a text": claims((own) => (own["email_verified"] = "true")),
  "an address that is a number": claims((own) => (own["email"] = 1)),
  "an address without a host": claims((own) => (own["email"] = "ada")),
  "an address of two lines": claims((own) => (own["email"] = "ada@example.com\nBcc: eve@example.com")),
  "an address that nothing sends": userInfo({ sub: "s1" }),
  "the address of another person": userInfo({ sub: "s2", email: "eve@example.com", email_verified: true }),
  "an address of nobody": userInfo({ email: "eve@example.com", email_verified: true }),
  "an address on a page": userInfo(page.body, { type: page.type }),
  "an address that the provider refuses": userInfo({}, { status: 401 }),
  "a disabled account": {
    prepare: async ({ accounts }) => {
      const { id } = await accounts.create({ email: "ada@example.com", name: "", emailVerified: true, claims: {} });
      await accounts.setDisabled(id, true);
    },
  },
  "the address of an account with a password": {
    prepare: ({ accounts }) =>
      accounts.create({ email: "ADA@example.com", name: "", emailVerified: true, claims: {}, password: "secret" }),
  },
  "the address of another person's account": {
    prepare: ({ accounts }) =>
      accounts.create({ id: "social-0", email: "ada@example.com", name: "", emailVerified: true, claims: {} }),
  },
  "metadata of another issuer": metadata({ issuer: "https://other.example" }),
  "metadata of the issuer with a path": { metadata: (own) => void (own["issuer"] = `${String(own["issuer"])}/x`) },
  "metadata without an issuer": metadata({ issuer: undefined }),
  "metadata on a page": { metadata: () => page },
  "metadata that is missing": { metadata: () => ({ status: 404, body: {} }) },
  "metadata elsewhere": { metadata: () => ({ status: 302, headers: { location: "/other" }, body: "" }) },
  "metadata without a page to sign in": metadata({ authorization_endpoint: undefined }),
  "metadata with a script": metadata({ authorization_endpoint: "javascript:alert(1)" }),
  "metadata with an unsafe page": metadata({ authorization_endpoint: "http://other.example/authorize" }),
  "metadata without tokens": metadata({ token_endpoint: undefined }),
  "metadata without keys": metadata({ jwks_uri: undefined }),
  "metadata that allows the algorithm none": {
    ...metadata({ id_token_signing_alg_values_supported: ["none"] }),
    ...header({ alg: "none" }),
  },
  "metadata that allows secrets as keys": {
    ...metadata({ id_token_signing_alg_values_supported: ["HS256"] }),
    ...header({ alg: "HS256" }, clientSecret),
  },
  "no keys": { keys: () => ({ keys: [] }) },
  "keys that are no list": { keys: () => ({ keys: "1" }) },
  "keys for encryption": { keys: (set) => void Object.assign((set["keys"] as Json[])[0] ?? {}, { use: "enc" }) },
  "a key for another algorithm": {
    keys: (set) => void Object.assign((set["keys"] as Json[])[0] ?? {}, { alg: "PS256" }),
  },
};

const accepted: Readonly<Record<string, Attack>> = {
  "a correct sign-in": {},
  "an address in a separate response": userInfo({ sub: "s1", email: "ada@example.com", email_verified: true }),
  "an account that an operator has prepared": {
    prepare: ({ accounts }) =>
      accounts.create({ email: "ada@example.com", name: "", emailVerified: false, claims: { roles: ["admin"] } }),
  },
};

const provider = new FakeProvider();
beforeAll(() => provider.listen());
afterAll(() => provider.close());

interface Outcome {
  readonly status: number;
  readonly location: string | null;
  readonly isSignedIn: boolean;
  readonly sessions: number;
}

/** Signs in on an empty store. */
async function signIn({ cookie, host, later = 0, times = 1, prepare, ...departures }: Attack): Promise<Outcome> {
  provider.departures = departures;
  let ahead = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + ahead };
  const { platform, origin, sessionCount, close } = await serveSocial(provider, clock);
  const get = (url: string | URL, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { redirect: "manual", headers });
  try {
    await prepare?.(platform);
    const start = `${origin}/_fw/signin/social?next=/notes`;
    const [other, first] = [await get(start), await get(start)];
    const target = first.headers.get("location");
    let answer = first;
    if (target !== null) {
      const back = provider.authorize(new URL(target));
      const own = cookie === undefined ? cookieOf(first) : cookie(cookieOf(first), cookieOf(other));
      ahead = later;
      for (let time = 0; time < times; time++) {
        if (host !== undefined) back.hostname = "localhost";
        answer = await get(back, { cookie: own });
      }
    }
    const sessions = await sessionCount();
    const isSignedIn = answer.headers.getSetCookie().some((each) => each.startsWith("fw_session="));
    return { status: answer.status, location: answer.headers.get("location"), isSignedIn, sessions };
  } finally {
    await close();
  }
}

test.each(Object.entries(accepted))("%s is accepted", async (_, attack) => {
  expect(await signIn(attack)).toEqual({ status: 303, location: "/notes", isSignedIn: true, sessions: 1 });
});

test.each(Object.entries(attacks))("%s signs no one in", async (_, attack) => {
  const { status, isSignedIn, sessions } = await signIn(attack);
  expect([401, 503]).toContain(status);
  expect({ isSignedIn, sessions }).toEqual({ isSignedIn: false, sessions: (attack.times ?? 1) - 1 });
});
