import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeCloud } from "../../../../../fake-cloud/src/index.ts";
import { isPlatformError } from "../../errors.ts";
import { connectCloud } from "../cloud.ts";
import { CloudAccounts } from "./accounts.ts";
import { identityKeys, idTokens } from "./id-token.ts";

const email = "orders@demo-fw.iam.gserviceaccount.com";

/** Opens a service's accounts on a separate fake cloud with a stopped clock. */
async function openAccounts(role = "roles/firebaseauth.admin") {
  const fake = await startFakeCloud({ start: Date.UTC(2026, 10, 21) });
  fake.grant(`serviceAccount:${email}`, role);
  const cloud = connectCloud(await fake.envOf(email), {
    now: () => fake.clock.now(),
    elapsed: () => fake.clock.now(),
    sleep: async () => {},
  });
  const accounts = new CloudAccounts({
    client: cloud.client,
    project: fake.project.id,
    tokens: idTokens(fake.project.id, identityKeys(cloud), () => fake.clock.now()),
    cursorKey: async () => new Uint8Array(32).fill(7),
  });
  onTestFinished(async () => {
    await cloud.connections.close();
    await fake.stop();
  });
  return { fake, accounts };
}

describe("accounts at Identity Platform", () => {
  test("a new sign-in is read from the token, with the account's present state", async () => {
    const { fake, accounts } = await openAccounts();
    const created = await accounts.create({ email: "ann@example.com", name: "Ann", emailVerified: true, claims: {} });
    const user = fake.apis.people.users.get(created.id);
    const token = user === undefined ? "" : await fake.apis.people.idToken(user, "password");
    await accounts.setClaims(created.id, { roles: ["editor"] });
    expect(await accounts.verifyToken(token)).toEqual({
      account: { ...created, claims: { roles: ["editor"] } },
      provider: "email",
    });
    await accounts.setDisabled(created.id, true);
    expect(await accounts.verifyToken(token)).toEqual({ refused: "its account is disabled" });
    await accounts.delete(created.id);
    expect(await accounts.verifyToken(token)).toEqual({ refused: "its account does not exist" });
  });

  test("a token of a sign-in before the password was changed, or long ago, opens nothing", async () => {
    const { fake, accounts } = await openAccounts();
    const { id } = await accounts.create({ email: "ann@example.com", name: "", emailVerified: true, claims: {} });
    const user = fake.apis.people.users.update(id, {});
    expect(await accounts.verifyToken(await fake.apis.people.idToken(user, "google.com", 301))).toEqual({
      refused: "its sign-in is too long ago",
    });
    const token = await fake.apis.people.idToken(user, "google.com");
    await fake.clock.advance(2_000);
    fake.apis.people.users.update(id, { password: "correct horse" });
    expect(await accounts.verifyToken(token)).toEqual({ refused: "it was revoked" });
  });

  test("keys that have changed since are found", async () => {
    const { fake, accounts } = await openAccounts();
    const { id } = await accounts.create({ email: "ann@example.com", name: "", emailVerified: true, claims: {} });
    const user = fake.apis.people.users.update(id, {});
    expect(await accounts.verifyToken(await fake.apis.people.idToken(user, "password"))).toHaveProperty("account");
    await fake.cloud.tokens.securetoken.rotate();
    await fake.clock.advance(31_000);
    expect(await accounts.verifyToken(await fake.apis.people.idToken(user, "password"))).toHaveProperty("account");
  });

  test("a password that Identity Platform does not take is refused for what it is", async () => {
    const { accounts } = await openAccounts();
    const account = { email: "ann@example.com", name: "", emailVerified: false, claims: {}, password: "12345" };
    const refusal = await accounts.create(account).catch((error: unknown) => error);
    expect(isPlatformError(refusal, "password")).toBe(true);
  });

  test("claims that others have set stay what they are, and over 1,000 characters are refused", async () => {
    const { fake, accounts } = await openAccounts();
    const { id } = await accounts.create({ email: "ann@example.com", name: "", emailVerified: false, claims: {} });
    fake.apis.people.users.update(id, { customAttributes: `{"plan":"gold","limit":3}` });
    expect((await accounts.get(id))?.claims).toEqual({ plan: "gold", limit: 3 });
    const refusal = await accounts.setClaims(id, { note: "a".repeat(1_000) }).catch((error: unknown) => error);
    expect(isPlatformError(refusal, "document")).toBe(true);
    expect((refusal as Error).message).toBe(
      "the claims of an account, including its roles, may have at most 1000 bytes as JSON",
    );
    expect((await accounts.get(id))?.claims).toEqual({ plan: "gold", limit: 3 });
    // If other claims leave no room for a role, setting it fails and no claim is lost.
    const full = JSON.stringify({ note: "a".repeat(980) });
    fake.apis.people.users.update(id, { customAttributes: full });
    await expect(accounts.setClaims(id, { note: "a".repeat(980), roles: ["editor"] })).rejects.toThrow("1000 bytes");
    expect(fake.apis.people.users.get(id)?.customAttributes).toBe(full);
  });

  test("reading takes the viewer's role, and changing the administrator's", async () => {
    const { accounts } = await openAccounts("roles/firebaseauth.viewer");
    expect(await accounts.get("nobody")).toBeUndefined();
    expect(await accounts.byEmail("nobody@example.com")).toBeUndefined();
    expect(await accounts.list(10, "")).toEqual({ accounts: [] });
    const account = { email: "ann@example.com", name: "", emailVerified: false, claims: {} };
    await expect(accounts.create(account)).rejects.toThrow("403 PERMISSION_DENIED");
  });
});
