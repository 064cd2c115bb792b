import { expect, test } from "vitest";
import { ManualClock } from "../../testing/conformance/fixture.ts";
import { CallerTokens } from "./caller-tokens.ts";
import { Connections } from "./connections.ts";
import { metadataIdentity, type CloudIdentity } from "./identity.ts";
import { readMetadata, type Metadata } from "./metadata.ts";
import { google, json, type Reply } from "./testing/google.ts";

test("a token is asked for once by all who wait, kept, and fetched anew early without anybody waiting for it", async () => {
  let count = 0;
  const { identity, clock, asked } = await openIdentity((_, res) => json(res, 200, tokenOf(++count)));
  const tokens = await Promise.all(Array.from({ length: 10 }, () => identity.accessToken()));
  expect(new Set(tokens)).toEqual(new Set(["token-1"]));
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers["metadata-flavor"]).toBe("Google");
  clock.advance(3600_000 - 241_000);
  expect(await identity.accessToken()).toBe("token-1");
  expect(asked).toHaveLength(1);
  clock.advance(2000);
  expect(await identity.accessToken()).toBe("token-1");
  await expect.poll(() => identity.accessToken()).toBe("token-2");
  expect(asked).toHaveLength(2);
});

test("a token that has almost ended is not used", async () => {
  let count = 0;
  const { identity, clock } = await openIdentity((_, res) => json(res, 200, tokenOf(++count)));
  await identity.accessToken();
  clock.advance(3600_000 - 29_000);
  expect(await identity.accessToken()).toBe("token-2");
});

test("a refresh that fails while the token is good is not told to anybody, and tried again", async () => {
  let failing = false;
  let count = 0;
  const { identity, clock, asked } = await openIdentity((_, res) => {
    if (failing) res.writeHead(404).end();
    else json(res, 200, tokenOf(++count));
  });
  await identity.accessToken();
  failing = true;
  clock.advance(3600_000 - 200_000);
  expect(await identity.accessToken()).toBe("token-1");
  await expect.poll(() => asked.length).toBe(2);
  failing = false;
  await expect.poll(() => identity.accessToken()).toBe("token-2");
});

test("a token that was refused is forgotten, but not one that came after it", async () => {
  let count = 0;
  const { identity } = await openIdentity((_, res) => json(res, 200, tokenOf(++count)));
  expect(await identity.accessToken()).toBe("token-1");
  identity.forgetAccessToken("token-1");
  expect(await identity.accessToken()).toBe("token-2");
  identity.forgetAccessToken("token-1");
  expect(await identity.accessToken()).toBe("token-2");
});

test("ID tokens are kept by audience until shortly before they end", async () => {
  const clock = new ManualClock();
  const { metadata, asked } = await openIdentity((one, res) => {
    const audience = new URL(one.url, "http://x").searchParams.get("audience");
    const claims = { aud: audience, exp: clock.now() / 1000 + 3600 };
    res.end(`h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`);
  }, clock);
  const tokens = new CallerTokens({ metadata, clock });
  const [a, b] = await Promise.all([tokens.token("https://a.run.app"), tokens.token("https://b.run.app")]);
  expect(a).not.toBe(b);
  expect(await tokens.token("https://a.run.app")).toBe(a);
  expect(asked.map(({ url }) => url)).toContainEqual(
    "/computeMetadata/v1/instance/service-accounts/default/identity?audience=https%3A%2F%2Fa.run.app&format=full",
  );
  expect(asked).toHaveLength(2);
  clock.advance(3600_000);
  expect(await tokens.token("https://a.run.app")).not.toBe(a);
});

test("the address is asked for once, and again where it was not answered", async () => {
  const { identity, asked } = await openIdentity((_, res, times) => {
    if (times === 1) res.writeHead(404).end("nobody");
    else res.end("web@p.iam.gserviceaccount.com\n");
  });
  await expect(identity.email()).rejects.toThrow("email: 404 NOT_FOUND: nobody");
  expect(await identity.email()).toBe("web@p.iam.gserviceaccount.com");
  await identity.email();
  expect(asked).toHaveLength(2);
});

interface OpenIdentity {
  readonly identity: CloudIdentity;
  readonly metadata: Metadata;
  readonly clock: ManualClock;
  readonly asked: Awaited<ReturnType<typeof google>>["asked"];
}

async function openIdentity(reply: Reply, clock = new ManualClock()): Promise<OpenIdentity> {
  const { url, asked } = await google(reply);
  const metadata = readMetadata({ GCE_METADATA_HOST: url.slice("http://".length) }, new Connections());
  return { identity: metadataIdentity(metadata, clock), metadata, clock, asked };
}

function tokenOf(count: number): unknown {
  return { access_token: `token-${count}`, expires_in: 3600, token_type: "Bearer" };
}
