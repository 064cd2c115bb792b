import { expect, test } from "vitest";
import { serviceTokens } from "../rest/service-token.ts";
import { testKeys } from "../rest/testing/signed-tokens.ts";
import { pusher } from "./caller.ts";

const now = 1_800_000_000_000;
const audience = "https://web-1.europe-west1.run.app";
const invoker = "push@demo.iam.gserviceaccount.com";
const { keys, token } = testKeys();

const claims = {
  iss: "https://accounts.google.com",
  aud: audience,
  sub: "1",
  email: invoker,
  email_verified: true,
  iat: now / 1000,
  exp: now / 1000 + 3600,
};

function refusalOf(own: object): Promise<string | undefined> {
  const tokens = serviceTokens({ audience, keys, isVerifiedBefore: async () => false, now: () => now });
  return pusher({ audience, invoker, tokens }).verify(token({ ...claims, ...own }));
}

test("a delivery comes from the account that pushes to the service", async () => {
  expect(await refusalOf({})).toBeUndefined();
});

test.each([
  ["of another account", { email: "eve@demo.iam.gserviceaccount.com" }, /^the caller is "eve@/],
  ["of no account", { email: undefined }, "the caller is not named"],
  ["whose address is not verified", { email_verified: false }, "the caller's address is not verified"],
  ["whose address is not said to be verified", { email_verified: undefined }, "the caller's address is not verified"],
  ["for another service", { aud: "https://desk-1.europe-west1.run.app" }, /^the token is invalid: its audience/],
])("a delivery with a token %s is refused", async (_, own, refusal) => {
  expect(await refusalOf(own)).toMatch(refusal);
});
