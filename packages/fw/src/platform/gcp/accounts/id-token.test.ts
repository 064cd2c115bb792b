import { expect, test } from "vitest";
import { testKeys } from "../rest/testing/signed-tokens.ts";
import { idTokens } from "./id-token.ts";

const now = 1_800_000_000_000;
const seconds = now / 1000;
const { keys, token } = testKeys();
const tokens = idTokens("demo", keys, () => now);

const claims = {
  iss: "https://securetoken.google.com/demo",
  aud: "demo",
  sub: "ann",
  auth_time: seconds - 20,
  iat: seconds - 10,
  exp: seconds + 3590,
  firebase: { sign_in_provider: "password" },
};

test.each([
  ["password", "email"],
  ["google.com", "social"],
  ["phone", "phone"],
  ["anonymous", "anonymous"],
])(
  "a token that %s vouches for says so by the name of the declaration, where there is one",
  async (provider, named) => {
    const said = await tokens.read(token({ ...claims, firebase: { sign_in_provider: provider } }));
    expect(said).toEqual({ sub: "ann", signedIn: seconds - 20, provider: named });
  },
);

test.each([
  ["of a sign-in too long ago", { auth_time: seconds - 301 }, "its sign-in is too long ago"],
  ["that does not say when", { auth_time: undefined }, "it has no sign-in time"],
  ["of another project", { aud: "other" }, `its audience is "other"`],
  ["of Google itself", { iss: "https://accounts.google.com" }, `its issuer is "https://accounts.google.com"`],
  ["of a tenant", { firebase: { sign_in_provider: "password", tenant: "t" } }, "it belongs to a tenant"],
  ["that nobody vouches for", { firebase: {} }, "it has no sign-in provider"],
])("a token %s is refused", async (_, wrong, refused) => {
  expect(await tokens.read(token({ ...claims, ...wrong }))).toEqual({ refused });
});
