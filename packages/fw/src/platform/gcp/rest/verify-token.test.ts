import { generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { ManualClock } from "../../testing/conformance/fixture.ts";
import { Connections } from "./connections.ts";
import { readHosts } from "./hosts.ts";
import { verifyingKey, type Jwk } from "./jws.ts";
import { publishedKeys, type KeySet } from "./key-set.ts";
import { google, json } from "./testing/google.ts";
import { verifyToken, type Claims } from "./verify-token.ts";

interface Pair {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Jwk;
}

const [first, second] = [pair("first"), pair("second")];
const clock = new ManualClock();
const seconds = clock.now() / 1000;
const valid = {
  iss: "https://accounts.google.com",
  aud: "https://web.run.app",
  sub: "1",
  iat: seconds,
  exp: seconds + 3600,
  email: "push@p.iam.gserviceaccount.com",
};

test("a token of a known key, for this audience and valid now, says what it says", async () => {
  expect(await verify(token(first, valid))).toEqual(valid);
});

test.each<[string, Record<string, unknown>, string]>([
  ["another issuer", { iss: "https://evil.example" }, 'its issuer is "https://evil.example"'],
  ["no issuer", { iss: undefined }, "its issuer is missing"],
  ["another audience", { aud: "https://other.run.app" }, 'its audience is "https://other.run.app"'],
  ["several audiences", { aud: [valid.aud, "https://other.run.app"] }, "its audience is ["],
  ["no subject", { sub: undefined }, "it has no subject"],
  ["no end", { exp: undefined }, "it has no expiry or no time of issue"],
  ["an end that is a text", { exp: String(valid.exp) }, "it has no expiry or no time of issue"],
  ["no beginning", { iat: undefined }, "it has no expiry or no time of issue"],
  ["an end six minutes ago", { exp: seconds - 360 }, "it has expired"],
  ["a beginning six minutes from now", { iat: seconds + 331 }, "its time of issue is in the future"],
  ["a later beginning", { nbf: seconds + 331 }, "it is not valid yet"],
])("a token with %s is refused", async (_, claims, refused) => {
  expect(await verify(token(first, { ...valid, ...claims }))).toMatchObject({
    refused: expect.stringContaining(refused) as string,
  });
});

test.each([-301, -300, 300, 301])("clocks that differ by %s seconds refuse no token", async (skew) => {
  const skewed = { ...valid, iat: seconds + skew, exp: seconds + skew + 3600 };
  expect(await verify(token(first, skewed))).toEqual(skewed);
});

test("a token does not choose how it is checked", async () => {
  const cases: [string, string][] = [
    ["no algorithm", token(first, valid, { alg: "none" }).replace(/[^.]*$/, "")],
    ["another algorithm", token(first, valid, { alg: "PS256" })],
    ["another case", token(first, valid, { alg: "rs256" })],
    ["HMAC with the public key", token(first, valid, { alg: "HS256" })],
    ["an extension", token(first, valid, { crit: ["exp"] })],
    ["its own key", token(second, valid, { kid: undefined, jwk: second.jwk })],
    ["its own key set", token(second, valid, { jku: "https://evil.example/keys" })],
    ["the id of another key", token(second, valid, { kid: "first" })],
    ["an id that is not a text", token(first, valid, { kid: ["first"] })],
    ["an unknown id", token(first, valid, { kid: "third" })],
    ["a prototype's name for an id", token(first, valid, { kid: "__proto__" })],
  ];
  for (const [name, each] of cases) expect(await verify(each, only(first)), name).toHaveProperty("refused");
});

test("anything but a token is refused, and never throws", async () => {
  const good = token(first, valid);
  const [head = "", body = "", signature = ""] = good.split(".");
  const others = ["", ".", "..", "a.b", `${good}.x`, `${good}=`, ` ${good}`, `${head}..${signature}`, "x".repeat(1e6)];
  const payloads = ["null", "[]", "1", "{", ""].map((text) =>
    signed(first, head, Buffer.from(text).toString("base64url")),
  );
  const heads = ["null", "[]", "{", '"RS256"'].map((text) =>
    signed(first, Buffer.from(text).toString("base64url"), body),
  );
  for (const each of [...others, ...payloads, ...heads]) expect(await verify(each), each).toHaveProperty("refused");
});

test("keys that must not verify are none: of another use, of another algorithm, or too short", async () => {
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const weak: Pair = {
    ...first,
    privateKey: short.privateKey,
    jwk: { ...short.publicKey.export({ format: "jwk" }), kid: "first" },
  };
  expect(await verify(token(weak, valid), only(weak))).toEqual({ refused: "it is signed with an unknown key" });
  for (const change of [{ use: "enc" }, { alg: "PS256" }, { kty: "oct" }, { key_ops: ["sign"] }]) {
    const other = { ...first, jwk: { ...first.jwk, ...change } };
    expect(await verify(token(other, valid), only(other))).toEqual({ refused: "it is signed with an unknown key" });
  }
});

test("keys are fetched once, kept for as long as Cache-Control says, and fetched anew for a key that has come since", async () => {
  const source = await keyServer([first], "public, max-age=3600");
  await Promise.all(Array.from({ length: 5 }, () => verify(token(first, valid), source.keys)));
  expect(source.asked).toHaveLength(1);
  source.publish([first, second]);
  const late = token(second, { ...valid, exp: seconds + 1e6 });
  expect(await verify(late, source.keys, source.clock)).toHaveProperty("refused");
  expect(source.asked).toHaveLength(1);
  source.clock.advance(30_000);
  expect(await verify(late, source.keys, source.clock)).toHaveProperty("sub");
  expect(source.asked).toHaveLength(2);
  source.publish([second]);
  source.clock.advance(3_600_000);
  const old = token(first, { ...valid, exp: seconds + 1e6 });
  expect(await verify(old, source.keys, source.clock)).toEqual({ refused: "it is signed with an unknown key" });
  expect(source.asked).toHaveLength(3);
});

test("while keys cannot be fetched those of before count, for a day; without any, nothing is verified", async () => {
  const source = await keyServer([first], "max-age=60");
  const long = token(first, { ...valid, exp: seconds + 1e6 });
  expect(await verify(long, source.keys, source.clock)).toHaveProperty("sub");
  source.publish(undefined);
  source.clock.advance(3_600_000);
  expect(await verify(long, source.keys, source.clock)).toHaveProperty("sub");
  source.clock.advance(86_400_000);
  await expect(verify(long, source.keys, source.clock)).rejects.toThrow("returned 503");
});

function verify(text: string, keys: KeySet = only(first, second), at = clock): Promise<Claims | { refused: string }> {
  return verifyToken(text, { audience: valid.aud, issuers: [valid.iss], keys, now: at.now() });
}

/** Returns a key set with exactly these keys, as if published. */
function only(...pairs: readonly Pair[]): KeySet {
  return { key: async (kid) => verifyingKey(pairs.find(({ jwk }) => jwk.kid === kid)?.jwk ?? {}) };
}

async function keyServer(pairs: readonly Pair[], cacheControl: string) {
  let published: readonly Pair[] | undefined = pairs;
  const { url, asked } = await google((_, res) => {
    if (published === undefined) res.writeHead(503).end();
    else json(res, 200, { keys: published.map(({ jwk }) => jwk) }, { "cache-control": cacheControl });
  });
  const at = new ManualClock();
  const keys = publishedKeys(`${url}/certs`, { connections: new Connections(), hosts: readHosts({}), clock: at });
  return { keys, asked, clock: at, publish: (next: readonly Pair[] | undefined): void => void (published = next) };
}

function pair(kid: string): Pair {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk: JsonWebKey = publicKey.export({ format: "jwk" });
  return { kid, privateKey, jwk: { ...jwk, kid, alg: "RS256", use: "sig" } };
}

function token(by: Pair, claims: unknown, header: Record<string, unknown> = {}): string {
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  return signed(by, encode({ alg: "RS256", typ: "JWT", kid: by.kid, ...header }), encode(claims));
}

function signed({ privateKey }: Pair, head: string, body: string): string {
  return `${head}.${body}.${sign("sha256", Buffer.from(`${head}.${body}`), privateKey).toString("base64url")}`;
}
