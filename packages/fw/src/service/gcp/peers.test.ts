import { expect, test } from "vitest";
import { serviceAccountEmail, serviceUrl } from "../../platform/gcp/names.ts";
import { serviceTokens } from "../../platform/gcp/rest/service-token.ts";
import { testKeys } from "../../platform/gcp/rest/testing/signed-tokens.ts";
import { readHosts } from "../../platform/gcp/rest/hosts.ts";
import { cloudDirectory, serviceVerifier } from "./connections.ts";

const place = {
  app: "shop",
  env: "prod",
  service: "orders",
  project: "demo",
  projectNumber: "123456789012",
  region: "europe-west1",
  database: "shop-prod",
};
const now = 1_800_000_000_000;
const { keys, token } = testKeys();

const claims = {
  iss: "https://accounts.google.com",
  aud: serviceUrl(place, "orders"),
  sub: "1",
  email: serviceAccountEmail(place, "web"),
  email_verified: true,
  iat: now / 1000,
  exp: now / 1000 + 3600,
};

function verify(jwt: string, name: string | undefined, isVerified = false) {
  const tokens = serviceTokens({
    audience: serviceUrl(place, "orders"),
    keys,
    isVerifiedBefore: async () => isVerified,
    now: () => now,
  });
  return serviceVerifier(place, tokens, ["web"]).verify(jwt, name);
}

test("a service of the application is who its service account is, if it says so itself", async () => {
  expect(await verify(token(claims), "web")).toBe("web");
  expect(await verify(token(claims), undefined)).toBeUndefined();
  expect(await verify(token(claims), "orders")).toBeUndefined();
});

test("a token of a service whose code does not call this one is refused", async () => {
  const desk = { ...claims, email: serviceAccountEmail(place, "desk") };
  expect(await verify(token(desk), "desk")).toBeUndefined();
});

test.each([
  ["for another service", { aud: serviceUrl(place, "web") }],
  ["of an account of another project", { email: serviceAccountEmail({ ...place, project: "other" }, "web") }],
  ["of another environment", { email: serviceAccountEmail({ ...place, env: "staging" }, "web") }],
  ["of an address that nobody has verified", { email_verified: false }],
  ["of another issuer", { iss: "https://securetoken.google.com/demo" }],
  ["that has expired", { exp: now / 1000 - 3600 }],
])("a token %s is nobody's", async (_, wrong) => {
  expect(await verify(token({ ...claims, ...wrong }), "web")).toBeUndefined();
});

test("a signature that Cloud Run has removed counts where Cloud Run lets only callers in, and nowhere else", async () => {
  const removed = token(claims).replace(/[^.]+$/, "SIGNATURE_REMOVED_BY_GOOGLE");
  expect(await verify(removed, "web", true)).toBe("web");
  expect(await verify(removed, "web", false)).toBeUndefined();
  const forged = token({ ...claims, email: "eve@demo.iam.gserviceaccount.com" });
  expect(await verify(forged, "web", true)).toBeUndefined();
});

test("services are where Cloud Run puts them, and their tokens are for that address", async () => {
  const audiences: string[] = [];
  const token = async (audience: string) => `for ${(audiences.push(audience), audience)}`;
  const directory = cloudDirectory(place, { tokens: { token, forget: () => {} }, hosts: readHosts({}) });
  const url = serviceUrl(place, "web");
  expect(url).toMatch(/^https:\/\/shop-prod-web-123456789012\.europe-west1\.run\.app$/);
  expect([directory.name, directory.addressOf("web"), await directory.tokenFor("web")]).toEqual([
    "orders",
    url,
    `for ${url}`,
  ]);
});

test("services that lead elsewhere are audiences there, by the name that they have", () => {
  const hosts = readHosts({ FW_CLOUD_HOSTS: `{"*.run.app":"http://127.0.0.1:8090"}` });
  const directory = cloudDirectory(place, { tokens: { token: async () => "", forget: () => {} }, hosts });
  expect(directory.addressOf("web")).toBe("http://127.0.0.1:8090");
  expect(directory.hostOf?.("web")).toBe("shop-prod-web-123456789012.europe-west1.run.app");
});
