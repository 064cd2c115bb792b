import { newTestApp, type TestApp } from "fw/testing";
import { expect, test, vi } from "vitest";
import { changeAccount, currentUser, logIn } from "./accounts.ts";
import { follow, getProfile, unfollow } from "./profiles.ts";
import { visitor } from "./token.ts";

async function open(): Promise<TestApp> {
  const app = await newTestApp();
  app.setSecret("JWT_SECRET", "only tests sign with this");
  return app;
}

/** Somebody new, and what their requests bring. */
async function join(app: TestApp, username: string): Promise<{ authorization: string }> {
  const user = { username, email: `${username}@example.com`, password: "correct horse" };
  const answer = await app.fetch("/api/users", post({ user }));
  expect(answer.status).toBe(201);
  const { user: joined } = (await answer.json()) as { user: { token: string } };
  return { authorization: `Token ${joined.token}` };
}

function post(body: object, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

test("who registers is signed in by the token, and logs in with the password in any case of the address", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const { user } = await currentUser.call(app.ctx(), ann);
  expect(user).toEqual({
    username: "ann",
    email: "ann@example.com",
    bio: null,
    image: null,
    token: expect.any(String),
  });
  const answer = await app.fetch(
    "/api/users/login",
    post({ user: { email: "Ann@Example.com", password: "correct horse" } }),
  );
  expect(await answer.json()).toEqual({ user: { ...user, token: expect.any(String) } });
});

test("a wrong password and an unknown address are the same 401", async () => {
  await using app = await open();
  await join(app, "ann");
  const refused = async (email: string): Promise<[number, string]> => {
    const answer = await app.fetch("/api/users/login", post({ user: { email, password: "wrong" } }));
    return [answer.status, await answer.text()];
  };
  expect(await refused("ann@example.com")).toEqual(await refused("nobody@example.com"));
  expect(await refused("ann@example.com")).toEqual([401, expect.stringContaining("do not match")]);
});

test("blank fields and names that are taken are 422, each by its field", async () => {
  await using app = await open();
  await join(app, "ann");
  const refused = async (user: object): Promise<unknown> => {
    const answer = await app.fetch("/api/users", post({ user }));
    expect(answer.status).toBe(422);
    return answer.json();
  };
  expect(await refused({ username: " ", password: "x" })).toEqual({
    errors: { username: ["can't be blank"], email: ["can't be blank"] },
  });
  const other = { password: "x", username: "ann", email: "other@example.com" };
  expect(await refused(other)).toEqual({ errors: { username: ["has already been taken"] } });
  const same = { ...other, username: "other", email: "ANN@example.com" };
  expect(await refused(same)).toEqual({ errors: { email: ["has already been taken"] } });
});

test("an account is changed in what is given, and the new password counts", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const ctx = app.ctx();
  await changeAccount.call(ctx, { ...ann, user: { bio: "writes", password: "battery staple" } });
  expect((await currentUser.call(ctx, ann)).user).toMatchObject({ username: "ann", bio: "writes" });
  const logged = await logIn.call(ctx, { user: { email: "ann@example.com", password: "battery staple" } });
  expect(logged).toMatchObject({ user: { bio: "writes" } });
  await join(app, "bob");
  const taken = await app.fetch("/api/user", { ...post({ user: { username: "bob" } }, ann), method: "PUT" });
  expect(taken.status).toBe(422);
});

test.each([
  ["no token", {}],
  ["another scheme", { authorization: "Basic YTpi" }],
  ["no JSON Web Token", { authorization: "Token nonsense" }],
  [
    "a token that names no algorithm",
    { authorization: "Token eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIiwiZXhwIjo5OTk5OTk5OTk5fQ." },
  ],
])("nobody is signed in by %s", async (_what, headers) => {
  await using app = await open();
  expect((await app.fetch("/api/user", { headers })).status).toBe(401);
});

test("a token that was altered, signed with another secret or has run out is nobody's", async () => {
  await using app = await open();
  const { authorization } = await join(app, "ann");
  expect(visitor({ authorization })).toEqual(expect.any(String));
  const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61 * 24 * 60 * 60 * 1000);
  expect(visitor({ authorization })).toBeUndefined();
  later.mockRestore();
  const [head, body, signature] = authorization.split(".");
  const other = Buffer.from(JSON.stringify({ sub: "bob", exp: 9_999_999_999 })).toString("base64url");
  expect(visitor({ authorization: `${head}.${other}.${signature}` })).toBeUndefined();
  app.setSecret("JWT_SECRET", "another");
  expect(visitor({ authorization: `${head}.${body}.${signature}` })).toBeUndefined();
});

test("a profile says whether the visitor follows", async () => {
  await using app = await open();
  const [ann] = [await join(app, "ann"), await join(app, "bob")];
  const ctx = app.ctx();
  const following = async (visit: { authorization?: string }): Promise<boolean> =>
    (await getProfile.call(ctx, { username: "bob", ...visit })).profile.following;
  expect(await following(ann)).toBe(false);
  await follow.call(ctx, { username: "bob", ...ann });
  await follow.call(ctx, { username: "bob", ...ann });
  expect([await following(ann), await following({})]).toEqual([true, false]);
  await unfollow.call(ctx, { username: "bob", ...ann });
  expect(await following(ann)).toBe(false);
  expect((await app.fetch("/api/profiles/nobody")).status).toBe(404);
});

test("pages of any origin may call, with a token", async () => {
  await using app = await open();
  const { authorization } = await join(app, "ann");
  const headers = { origin: "https://app.example.com", authorization };
  const answer = await app.fetch("/api/user", { headers });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
});
