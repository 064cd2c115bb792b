import { createPublicKey, verify, type JsonWebKey } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { member, testCloud } from "../testing/client.ts";

const certs = "https://www.googleapis.com/oauth2/v3/certs";
let cloud: Awaited<ReturnType<typeof testCloud>>;
let metadata: string;

beforeAll(async () => {
  cloud = await testCloud();
  metadata = `http://${(await cloud.envOf(member))["GCE_METADATA_HOST"]}/computeMetadata/v1`;
});
afterAll(() => cloud.stop());

async function at(path: string, headers: Record<string, string> = { "metadata-flavor": "Google" }): Promise<Response> {
  return fetch(`${metadata}/${path}`, { headers });
}

/** Returns the claims of a token; undefined if no published key verifies its signature. */
async function claimsOf(token: string): Promise<Record<string, unknown> | undefined> {
  const { keys } = (await cloud.ask(certs)).json as { keys: (JsonWebKey & { kid: string })[] };
  const [head = "", body = "", signature = ""] = token.split(".");
  const { kid, alg } = JSON.parse(Buffer.from(head, "base64url").toString()) as { kid: string; alg: string };
  const key = keys.find((one) => one.kid === kid);
  if (!key || alg !== "RS256") return undefined;
  const isSigned = verify(
    "RSA-SHA256",
    Buffer.from(`${head}.${body}`),
    createPublicKey({ key, format: "jwk" }),
    Buffer.from(signature, "base64url"),
  );
  return isSigned ? (JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>) : undefined;
}

test("the metadata server answers only to who knows that it is one", async () => {
  expect((await at("project/project-id", {})).status).toBe(403);
  expect((await at("project/project-id", { "metadata-flavor": "Google", "x-forwarded-for": "1.2.3.4" })).status).toBe(
    403,
  );
  const answer = await at("project/project-id");
  expect([await answer.text(), answer.headers.get("metadata-flavor")]).toEqual(["demo-fw", "Google"]);
});

test("the metadata server tells the place and the account", async () => {
  const texts = ["project/numeric-project-id", "instance/region", "instance/service-accounts/default/email"];
  expect(await Promise.all(texts.map(async (path) => (await at(path)).text()))).toEqual([
    "123456789012",
    "projects/123456789012/regions/europe-west1",
    member,
  ]);
  expect((await at("instance/attributes/none")).status).toBe(404);
});

test("an access token is the same one until five minutes before its end, and then another", async () => {
  const first = (await (await at("instance/service-accounts/default/token")).json()) as {
    access_token: string;
    expires_in: number;
  };
  expect(first.expires_in).toBe(3599);
  await cloud.clock.advance(54 * 60_000);
  const again = (await (await at("instance/service-accounts/default/token")).json()) as typeof first;
  expect([again.access_token, again.expires_in]).toEqual([first.access_token, 360]);
  await cloud.clock.advance(2 * 60_000);
  const other = (await (await at("instance/service-accounts/default/token")).json()) as typeof first;
  expect(other.access_token).not.toBe(first.access_token);
  await cloud.clock.advance(5 * 60_000);
  const answer = await cloud.ask("https://storage.googleapis.com/storage/v1/b?project=demo-fw", {
    headers: { authorization: `Bearer ${first.access_token}` },
  });
  expect(answer.status).toBe(401);
});

test("an ID token is signed with a published key and says for whom it is", async () => {
  const token = await (await at("instance/service-accounts/default/identity?audience=https://a.example")).text();
  expect(await claimsOf(token)).toMatchObject({
    aud: "https://a.example",
    iss: "https://accounts.google.com",
    email: member,
    email_verified: true,
    exp: Math.floor(cloud.clock.now() / 1000) + 3600,
  });
  expect((await at("instance/service-accounts/default/identity")).status).toBe(400);
});

test("keys rotate: tokens of the key before still verify, those of the one before that do not", async () => {
  const token = await cloud.cloud.tokens.id(member, "a");
  await cloud.cloud.tokens.google.rotate();
  expect(await claimsOf(token)).toBeDefined();
  await cloud.cloud.tokens.google.rotate();
  expect(await claimsOf(token)).toBeUndefined();
  expect(await claimsOf(await cloud.cloud.tokens.id(member, "a"))).toBeDefined();
});

test("a service account signs blobs only for who may, and its keys are published", async () => {
  const url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${member}:signBlob`;
  const body = { payload: Buffer.from("to sign").toString("base64") };
  const refusal = await cloud.ask(url, { as: member, body });
  expect([refusal.status, (refusal.json as { error: { message: string } }).error.message]).toEqual([
    403,
    `Permission 'iam.serviceAccounts.signBlob' denied on resource '//iam.googleapis.com/projects/demo-fw/serviceAccounts/${member}' (or it may not exist).`,
  ]);
  cloud.grant(
    `serviceAccount:${member}`,
    "roles/iam.serviceAccountTokenCreator",
    `//iam.googleapis.com/projects/demo-fw/serviceAccounts/${member}`,
  );
  const { signedBlob, keyId } = (await cloud.ask(url, { as: member, body })).json as {
    signedBlob: string;
    keyId: string;
  };
  const { keys } = (await cloud.ask(`https://www.googleapis.com/service_accounts/v1/jwk/${member}`)).json as {
    keys: (JsonWebKey & { kid: string })[];
  };
  const key = keys.find(({ kid }) => kid === keyId)!;
  expect(
    verify(
      "RSA-SHA256",
      Buffer.from("to sign"),
      createPublicKey({ key, format: "jwk" }),
      Buffer.from(signedBlob, "base64"),
    ),
  ).toBe(true);
});
