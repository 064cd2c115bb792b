import { newTestApp, type TestApp } from "fw/testing";
import { expect, test, vi } from "vitest";

async function open(): Promise<TestApp> {
  const app = await newTestApp();
  app.setSecret("JWT_SECRET", "only tests sign with this");
  return app;
}

interface Answer {
  status: number;
  body: { user: object; profile: { following: boolean }; errors: object };
}

/** Sends a request, with an `Authorization` header if a token is passed. */
async function ask(app: TestApp, route: string, body?: object, authorization?: string): Promise<Answer> {
  const [method = "", path] = route.split(" ");
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(body && { "content-type": "application/json" }),
  };
  const answer = await app.fetch(`/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** Registers a new user and returns a token for the user. */
async function join(app: TestApp, username: string): Promise<string> {
  const user = { username, email: `${username}@example.com`, password: "correct horse" };
  const { status, body } = await ask(app, "POST /users", { user });
  expect(status).toBe(201);
  return `Token ${(body.user as { token: string }).token}`;
}

test("who registers is signed in by the token, and logs in with the password in any case of the address", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const { body } = await ask(app, "GET /user", undefined, ann);
  const user = { username: "ann", email: "ann@example.com", bio: null, image: null, token: expect.any(String) };
  expect(body).toEqual({ user });
  const again = await ask(app, "POST /users/login", { user: { email: "Ann@Example.com", password: "correct horse" } });
  expect(again).toEqual({ status: 200, body: { user } });
});

test("a wrong password and an unknown address are the same 401", async () => {
  await using app = await open();
  await join(app, "ann");
  const logIn = (email: string): Promise<Answer> =>
    ask(app, "POST /users/login", { user: { email, password: "wrong" } });
  const refused = await logIn("ann@example.com");
  expect(refused).toMatchObject({ status: 401, body: { errors: { body: [expect.stringContaining("do not match")] } } });
  expect(await logIn("nobody@example.com")).toEqual(refused);
});

test("blank fields and names that are taken are 422, each by its field", async () => {
  await using app = await open();
  await join(app, "ann");
  const refused = async (user: object): Promise<object> => {
    const { status, body } = await ask(app, "POST /users", { user });
    expect(status).toBe(422);
    return body.errors;
  };
  const blank = ["can't be blank"];
  expect(await refused({ username: " ", password: "x" })).toEqual({ username: blank, email: blank });
  const other = { password: "x", username: "ann", email: "other@example.com" };
  expect(await refused(other)).toEqual({ username: ["has already been taken"] });
  const same = { ...other, username: "other", email: "ANN@example.com" };
  expect(await refused(same)).toEqual({ email: ["has already been taken"] });
});

test("an account is changed in what is given, and the new password counts", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  await join(app, "bob");
  await ask(app, "PUT /user", { user: { bio: "writes", password: "battery staple" } }, ann);
  const logged = await ask(app, "POST /users/login", {
    user: { email: "ann@example.com", password: "battery staple" },
  });
  expect(logged).toMatchObject({ status: 200, body: { user: { username: "ann", bio: "writes" } } });
  const taken = await ask(app, "PUT /user", { user: { username: "bob" } }, ann);
  expect(taken).toMatchObject({ status: 422, body: { errors: { username: ["has already been taken"] } } });
});

test.each([
  ["no token", undefined],
  ["another scheme", "Basic YTpi"],
  ["no JSON Web Token", "Token nonsense"],
  ["a token without an algorithm", "Token eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIiwiZXhwIjo5OTk5OTk5OTk5fQ."],
])("nobody is signed in by %s, and what is open stays so", async (_what, authorization) => {
  await using app = await open();
  expect((await ask(app, "GET /user", undefined, authorization)).status).toBe(401);
  expect((await ask(app, "GET /tags", undefined, authorization)).status).toBe(200);
});

test("a token that was altered, signed with another secret or has run out is nobody's", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const status = async (authorization: string): Promise<number> =>
    (await ask(app, "GET /user", undefined, authorization)).status;
  expect(await status(ann)).toBe(200);
  const [head, , signature] = ann.split(".");
  const other = Buffer.from(JSON.stringify({ sub: "bob", exp: 9_999_999_999 })).toString("base64url");
  expect(await status(`${head}.${other}.${signature}`)).toBe(401);
  const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61 * 24 * 60 * 60 * 1000);
  expect(await status(ann)).toBe(401);
  later.mockRestore();
  app.setSecret("JWT_SECRET", "another");
  expect(await status(ann)).toBe(401);
});

test("a profile says whether the visitor follows", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  await join(app, "bob");
  const following = async (who?: string): Promise<boolean> =>
    (await ask(app, "GET /profiles/bob", undefined, who)).body.profile.following;
  expect(await following(ann)).toBe(false);
  for (const route of ["POST /profiles/bob/follow", "POST /profiles/bob/follow"])
    expect((await ask(app, route, undefined, ann)).body.profile.following).toBe(true);
  expect([await following(ann), await following()]).toEqual([true, false]);
  expect((await ask(app, "DELETE /profiles/bob/follow", undefined, ann)).body.profile.following).toBe(false);
  expect((await ask(app, "GET /profiles/nobody")).status).toBe(404);
  expect((await ask(app, "POST /profiles/bob/follow")).status).toBe(401);
});

test("pages of any origin may call, with a token", async () => {
  await using app = await open();
  const authorization = await join(app, "ann");
  const answer = await app.fetch("/api/user", { headers: { origin: "https://app.example.com", authorization } });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
});
