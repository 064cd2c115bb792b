import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { Sessions } from "../../../runtime/auth/sessions.ts";
import { ProviderSessions } from "./provider-sessions.ts";
import {
  encodeJson,
  FakeProvider,
  foreignKey,
  foreignPublicKey,
  publicKey,
  type Json,
  type TokenParts,
} from "./testing/provider.ts";
import { clientSecret, cookieOf, serveSocial, type ServedSocial } from "./testing/served.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
const provider = new FakeProvider();
let social: ServedSocial;

beforeAll(async () => {
  await provider.listen();
  social = await serveSocial(provider);
});
afterAll(async () => {
  provider.close();
  await social.close();
});

/**
 * Signs the person in with an ID token for `session` at the provider, after applying `change` to the token's claims.
 */
async function signIn(session = "session-1", change: (claims: Json) => void = () => {}): Promise<void> {
  provider.departures = {
    token: ({ claims }) => {
      claims["sid"] = session;
      change(claims);
    },
  };
  const first = await fetch(`${social.origin}/_fw/signin/social`, { redirect: "manual" });
  const cookie = cookieOf(first);
  const back = provider.authorize(new URL(first.headers.get("location") ?? ""));
  expect((await fetch(back, { redirect: "manual", headers: { cookie } })).status).toBe(303);
}

function post(body: string | URLSearchParams): Promise<Response> {
  return fetch(`${social.origin}/_fw/signin/social/logout`, { method: "POST", body });
}

function postToken(token: string): Promise<Response> {
  return post(new URLSearchParams({ logout_token: token }));
}

beforeEach(async () => {
  const { accounts } = await social.platform.accounts.list(10, "");
  for (const { id } of accounts) await new Sessions(social.platform).endAll(id);
});

/** Numbers the sessions at the provider, because an ended session never signs in again. */
let number = 1;

// This test runs first, because later ones find the provider's keys in the cache.
test("while the provider cannot return its keys, a logout token gets 503, and counts when it is sent again", async () => {
  const session = `s-${++number}`;
  await signIn(session);
  const token = provider.logoutToken(({ claims }) => void (claims["sid"] = session));
  for (const status of [500, 502, 429]) {
    provider.departures = { keyResponse: () => ({ status, type: "text/html", body: "try again" }) };
    expect((await postToken(token)).status).toBe(503);
  }
  expect(await social.sessionCount()).toBe(1);
  provider.departures = {};
  expect((await postToken(token)).status).toBe(200);
  expect(await social.sessionCount()).toBe(0);
});

test("a logout token ends the session that it names and no other, and says that nothing is to be cached", async () => {
  const [one, other] = [`s-${++number}`, `s-${++number}`];
  for (const session of [one, one, other]) await signIn(session);
  const answer = await postToken(provider.logoutToken(({ claims }) => void (claims["sid"] = one)));
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await social.sessionCount()).toBe(1);
});

test("a logout token without a session ends all of its subject's, but no account's own ones", async () => {
  for (const session of [`s-${++number}`, `s-${++number}`]) await signIn(session);
  const { id } = await social.platform.accounts.create({
    email: "bob@example.com",
    name: "",
    emailVerified: true,
    claims: {},
  });
  await new Sessions(social.platform).create(id, "email");
  const token = provider.logoutToken(({ claims }) => {
    delete claims["sid"];
    claims["iat"] = Number(claims["iat"]) - 1;
  });
  expect((await postToken(token)).status).toBe(200);
  expect(await social.sessionCount()).toBe(1);
});

test("a sign-in that the provider ended before it was complete is refused", async () => {
  const session = `s-${++number}`;
  let second: unknown;
  const token = provider.logoutToken(({ claims }) => {
    claims["sid"] = session;
    second = claims["iat"];
  });
  expect((await postToken(token)).status).toBe(200);
  // Token times are whole seconds: the sign-in has the same time as the logout.
  await expect(signIn(session, (claims) => void (claims["iat"] = second))).rejects.toThrow("401");
  expect(await social.sessionCount()).toBe(0);
});

test("a token counts once", async () => {
  const token = provider.logoutToken(({ claims }) => {
    delete claims["sid"];
    claims["iat"] = Number(claims["iat"]) - 5;
  });
  expect((await postToken(token)).status).toBe(200);
  await signIn(`s-${++number}`);
  expect((await postToken(token)).status).toBe(400);
  expect(await social.sessionCount()).toBe(1);
});

test("a frame of the provider's page ends the session that it names", async () => {
  const session = `s-${++number}`;
  await signIn(session);
  const frame = (parameters: Record<string, string>): Promise<Response> =>
    fetch(`${social.origin}/_fw/signin/social/frontchannel?${new URLSearchParams(parameters).toString()}`);
  for (const parameters of [
    {},
    { sid: session },
    { iss: provider.issuer },
    { iss: "https://other.example", sid: session },
  ])
    expect((await frame(parameters as Record<string, string>)).status).toBe(400);
  expect((await frame({ iss: provider.issuer, sid: "another" })).status).toBe(204);
  expect(await social.sessionCount()).toBe(1);
  expect((await frame({ iss: provider.issuer, sid: session })).status).toBe(204);
  expect(await social.sessionCount()).toBe(0);
});

test("a person's 101st session ends the oldest, which the provider could not end any more", async () => {
  const sessions = new Sessions(social.platform);
  const marks = new ProviderSessions(social.platform, sessions, provider.issuer);
  const { id } = await social.platform.accounts.create({
    email: "many@example.com",
    name: "",
    emailVerified: true,
    claims: {},
  });
  const ids: string[] = [];
  for (let n = 0; n <= 100; n++) {
    const created = await sessions.create(id, "social");
    ids.push(created?.id ?? "");
    await marks.add({ subject: "many" }, { account: id, document: created?.documentId ?? "" }, 1);
  }
  const live = await Promise.all(ids.map(async (each) => (await sessions.find(each)) !== undefined));
  expect(live.indexOf(true)).toBe(1);
  await marks.end({ subject: "many" }, 0);
  expect(await social.sessionCount()).toBe(0);
});

type Change = (parts: TokenParts) => void;
const claims =
  (change: Json): Change =>
  ({ claims }) =>
    void Object.assign(claims, change);
const without =
  (name: string): Change =>
  ({ claims }) =>
    void delete claims[name];
const header =
  (change: Json, key?: TokenParts["key"]): Change =>
  (parts) => {
    Object.assign(parts.header, change);
    if (key !== undefined) parts.key = key;
  };
const now = (): number => Math.floor(Date.now() / 1_000);

const forgeries: Readonly<Record<string, Change>> = {
  "signed with another key": header({}, foreignKey),
  "signed with an unknown key": header({ kid: "2" }, foreignKey),
  "that brings its key": header({ jwk: foreignPublicKey.export({ format: "jwk" }) }, foreignKey),
  "signed with the application's secret": header({ alg: "HS256" }, clientSecret),
  "signed with the public key as a secret": header(
    { alg: "HS256" },
    publicKey.export({ format: "pem", type: "spki" }).toString(),
  ),
  "with the algorithm none": header({ alg: "none" }),
  "without an algorithm": header({ alg: undefined }),
  "with an algorithm that the provider does not use": header({ alg: "RS512" }),
  "with a critical extension": header({ crit: ["b64"], b64: false }),
  "of the type of access tokens": header({ typ: "at+jwt" }),
  "whose type is a number": header({ typ: 1 }),
  "of another issuer": claims({ iss: "https://other.example" }),
  "without an issuer": without("iss"),
  "for another application": claims({ aud: "other" }),
  "for other applications": claims({ aud: ["other", "third"] }),
  "for nobody": without("aud"),
  "without events": without("events"),
  "without the event of signing out": claims({ events: {} }),
  "with another event": claims({ events: { "http://schemas.openid.net/event/other": {} } }),
  "whose event is a text": claims({ events: { [event]: "" } }),
  "whose event is a list": claims({ events: { [event]: [] } }),
  "whose events are a list": claims({ events: [event] }),
  "whose events are a text": claims({ events: event }),
  "with a nonce": claims({ nonce: "n" }),
  "with an empty nonce": claims({ nonce: "" }),
  "whose nonce is null": claims({ nonce: null }),
  "without an identifier": without("jti"),
  "with an empty identifier": claims({ jti: "" }),
  "whose identifier is a number": claims({ jti: 1 }),
  "with a long identifier": claims({ jti: "j".repeat(256) }),
  "without a session and a subject": ({ claims: own }) => ["sid", "sub"].forEach((name) => delete own[name]),
  "with an empty session": claims({ sid: "" }),
  "whose session is a number": claims({ sid: 1 }),
  "with an empty subject": claims({ sub: "" }),
  "whose subject is a list": claims({ sub: ["s1"] }),
  "that has expired": claims({ exp: now() - 60 }),
  "without an end": without("exp"),
  "without a time": without("iat"),
  "whose time is a text": claims({ iat: "now" }),
  "of the future": claims({ iat: now() + 600 }),
  "of yesterday that is valid for a week": claims({ iat: now() - 86_400, exp: now() + 600_000 }),
  "that begins later": claims({ nbf: now() + 600 }),
};

test.each(Object.entries(forgeries))("a logout token %s ends no session", async (_, change) => {
  await signIn(`s-${++number}`);
  const token = provider.logoutToken((parts) => {
    parts.claims["sid"] = `s-${number}`;
    change(parts);
  });
  expect((await postToken(token)).status).toBe(400);
  expect(await social.sessionCount()).toBe(1);
});

test("an ID token, a token that was changed and a form without one token end no session", async () => {
  await signIn(`s-${++number}`);
  const token = provider.logoutToken(({ claims }) => void (claims["sid"] = "other"));
  const [head = "", body = "", signature = ""] = token.split(".");
  const own = { ...(JSON.parse(Buffer.from(body, "base64url").toString()) as Json), sid: `s-${number}` };
  const forms = [
    "",
    "logout_token=",
    "logout_token=x",
    "logout_token=a.b.c",
    `logout_token=${head}.${encodeJson(own)}.${signature}`,
    `logout_token=${head}.${encodeJson(own)}.`,
    `logout_token=${token}&logout_token=${token}`,
    `token=${token}`,
    JSON.stringify({ logout_token: token }),
  ];
  for (const form of forms) expect((await post(form)).status).toBe(400);
  expect((await post(`logout_token=${"x".repeat(20_000)}`)).status).toBe(413);
  expect((await fetch(`${social.origin}/_fw/signin/social/logout?logout_token=${token}`)).status).toBe(404);
  expect(await social.sessionCount()).toBe(1);
});
