import { describe, expect, test } from "vitest";
import { sessionMs, signInBytes } from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";
import { type Answer, type SignInApp, startSignIn } from "../testing/sign-in.ts";
import { settings } from "../settings.ts";

const html = { accept: "text/html,application/xhtml+xml" };
const session = "/_fw/api/session";
const signOut = "/_fw/api/session/signout";

async function who(app: SignInApp, cookie: string | undefined): Promise<unknown> {
  const answer = await app.send("GET", "/me", cookie === undefined ? {} : { cookie });
  return (JSON.parse(answer.body) as { user: unknown }).user;
}

async function signedIn(app: SignInApp, user = "alice", role: readonly string[] = []): Promise<string> {
  const { session: cookie = "" } = await app.send("POST", session, { form: { dev_user: user, role } });
  return cookie;
}

async function account(app: SignInApp): Promise<string> {
  const { id } = await app.platform.accounts.create({
    email: "ann@example.com",
    name: "Ann",
    emailVerified: false,
    claims: { roles: ["editor"] },
    password: "correct horse",
  });
  return id;
}

function token(app: SignInApp, id: string, provider: string): string {
  return app.platform.accounts.mintToken(id, provider, new Date(app.authPlatform.clock.now() + 60_000));
}

function expectRefused(answer: Answer, status: number, error: string): void {
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error }]);
  expect([answer.session, answer.headers.get("cache-control")]).toEqual([undefined, "no-store"]);
}

describe("Session", () => {
  test("none, a credential that verifies and whose provider is declared: active, and the cookie is set", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { json: { idToken: token(app, await account(app), "social") } });
    expect(answer.status).toBe(200);
    const user = {
      id: expect.any(String),
      email: "ann@example.com",
      name: "Ann",
      provider: "social",
      emailVerified: true,
      roles: ["editor"],
    };
    expect(JSON.parse(answer.body)).toEqual({ user });
    expect(await who(app, answer.session)).toEqual(user);
  });

  test("none, a credential that verifies: the first sign-in is announced once", async () => {
    await using app = await startSignIn();
    await signedIn(app);
    await signedIn(app);
    await signedIn(app, "bob");
    const told = app.authPlatform.messages.map(({ destination }) => destination.name);
    expect(told.filter((name) => name === "auth.first-sign-in")).toHaveLength(2);
  });

  test("none, a provider that is not declared: none, with a refusal and no record", async () => {
    await using app = await startSignIn({ auth: { social: true, password: false, roles: [] } });
    const answer = await app.send("POST", session, { json: { idToken: token(app, await account(app), "email") } });
    expectRefused(
      answer,
      401,
      "the ID token did not verify: this token was minted by email, and this app declares social — the auth configuration decides which doors exist",
    );
    expect(app.authPlatform.calls.filter((each) => /^entities\.(?!get|query)/.test(each))).toEqual([]);
  });

  test("none, a wrong credential: none, with a refusal and no record", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { json: { idToken: "forged" } });
    expect([answer.status, answer.session]).toEqual([401, undefined]);
    expect(answer.body).toMatch(/^\{"error":"the ID token did not verify: /);
  });

  test.each([
    ["DELETE", session],
    ["POST", signOut],
  ])("active, %s %s: deleted, and the next request with the cookie is unauthenticated", async (method, path) => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    expect(await who(app, cookie)).toMatchObject({ email: "alice@example.com" });
    const answer = await app.send(method, path, { cookie });
    expect(answer.headers.getSetCookie()).toEqual(["fw_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"]);
    expect(await who(app, cookie)).toBeNull();
    expect((await app.send("GET", "/mine", { cookie })).status).toBe(401);
  });

  test("active, 7 days pass: expired", async () => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    app.authPlatform.clock.advance(sessionMs - 1000);
    expect(await who(app, cookie)).not.toBeNull();
    app.authPlatform.clock.advance(1000);
    expect(await who(app, cookie)).toBeNull();
  });

  test("changing the declared providers never affects a session", async () => {
    await using app = await startSignIn({ auth: { social: true, password: false, roles: [] } });
    const cookie = await signedIn(app);
    await using changed = await startSignIn({
      auth: { social: false, password: true, roles: [] },
      on: app.authPlatform,
    });
    expect(await who(changed, cookie)).toMatchObject({ provider: "social" });
  });
});

describe("POST /_fw/api/session", () => {
  test("a form is led to `next` by 303", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { form: { dev_user: "alice", next: "/notes?a=b" }, headers: html });
    expect([answer.status, answer.headers.get("location"), answer.body]).toEqual([303, "/notes?a=b", ""]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test.each(["//evil.example", "/\\evil.example", "https://evil.example/"])(
    "a form is never led to %s",
    async (next) => {
      await using app = await startSignIn();
      const answer = await app.send("POST", session, { form: { dev_user: "alice", next } });
      expect(answer.headers.get("location")).toBe("/");
      expect((await app.send("POST", signOut, { form: { next } })).headers.get("location")).toBe("/");
    },
  );

  test("the cookie carries an opaque random id only, which scripts and other sites cannot use", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { form: { dev_user: "alice" } });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^fw_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/),
    ]);
  });

  test("over https the cookie is bound to the host", async () => {
    await using app = await startSignIn({ settings: settings.built("refused") });
    const headers = { "x-forwarded-proto": "https" };
    const answer = await app.send("POST", session, {
      json: { idToken: token(app, await account(app), "email") },
      headers,
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-fw_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/),
    ]);
  });

  test("a test user's session has exactly the roles that are ticked", async () => {
    await using app = await startSignIn();
    expect(await who(app, await signedIn(app, "alice", ["editor", "admin"]))).toMatchObject({
      roles: ["admin", "editor"],
    });
    expect(await who(app, await signedIn(app, "alice", ["editor"]))).toMatchObject({ roles: ["editor"] });
    expect(await who(app, await signedIn(app, "alice"))).toMatchObject({ roles: [] });
  });

  test("`keep_roles` leaves a test user those it has", async () => {
    await using app = await startSignIn();
    await signedIn(app, "alice", ["editor"]);
    const answer = await app.send("POST", session, { form: { dev_user: "alice", keep_roles: "1" } });
    expect(await who(app, answer.session)).toMatchObject({ roles: ["editor"] });
  });

  test("JSON names a test user and its roles as a form does", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { json: { dev_user: "bob", role: ["admin"] } });
    expect(JSON.parse(answer.body)).toMatchObject({ user: { email: "bob@example.com", roles: ["admin"] } });
  });

  test.each(["form", "json"] as const)("an address and its password sign in, as %s", async (kind) => {
    await using app = await startSignIn();
    await account(app);
    const answer = await app.send("POST", session, { [kind]: { email: "ANN@example.com", password: "correct horse" } });
    expect(await who(app, answer.session)).toMatchObject({
      provider: "email",
      emailVerified: false,
      roles: ["editor"],
    });
  });

  test("signing in rotates the session: the one that came with the request ends", async () => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    const { session: next } = await app.send("POST", session, { form: { dev_user: "bob" }, cookie });
    expect(next).not.toBe(cookie);
    expect([await who(app, cookie), await who(app, next)]).toMatchObject([null, { email: "bob@example.com" }]);
  });

  test("an id that somebody planted is never the session's", async () => {
    await using app = await startSignIn();
    const planted = `fw_session=${"a".repeat(43)}`;
    const { session: cookie } = await app.send("POST", session, { form: { dev_user: "alice" }, cookie: planted });
    expect(cookie).not.toBe(planted);
    expect(await who(app, planted)).toBeNull();
  });

  test("a sign-in that is refused leaves the session that there is", async () => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    await app.send("POST", session, { form: { email: "x@example.com", password: "x" }, cookie });
    expect(await who(app, cookie)).not.toBeNull();
  });

  test("a token of an anonymous browser no longer counts, neither signed in nor after signing out", async () => {
    await using app = await startSignIn();
    const tokenPage = await app.send("GET", "/token");
    const [anonymous = ""] = (tokenPage.headers.getSetCookie()[0] ?? "").split(";");
    const answer = await app.send("POST", session, { form: { dev_user: "alice" }, cookie: anonymous });
    expect(answer.headers.getSetCookie()).toContain("fw_csrf=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    const form = { _csrf: tokenPage.body };
    expect((await app.send("POST", "/save", { form, cookie: anonymous })).status).toBe(200);
    expect((await app.send("POST", "/save", { form, cookie: `${anonymous}; ${answer.session}` })).status).toBe(403);
    expect((await app.send("POST", "/save", { form })).status).toBe(403);
  });
});

describe("Local password sign-in refuses a wrong password, an unknown address and a disabled account with the same text", () => {
  const attempts = { email: "ann@example.com", password: "correct horse" };

  async function answers(requestOf: (form: { email: string; password: string }) => Parameters<SignInApp["send"]>[2]) {
    await using app = await startSignIn();
    const tries = [{ ...attempts, password: "wrong" }, attempts, attempts];
    const id = await account(app);
    const results: Answer[] = [];
    for (const [i, form] of tries.entries()) {
      if (i === 1) await app.platform.accounts.setDisabled(id, true);
      if (i === 2) await app.platform.accounts.delete(id);
      results.push(await app.send("POST", session, requestOf(form)));
    }
    return results.map(({ status, headers, body }) => ({
      status,
      body,
      headers: [...headers].filter(([name]) => name !== "date" && name !== "x-request-id"),
    }));
  }

  test.each([
    ["to a program", (form: object) => ({ json: form })],
    ["to a browser", (form: object) => ({ form: form as Record<string, string>, headers: html })],
  ])("%s, with the same status, headers and body", async (_, requestOf) => {
    const [wrong, disabled, unknown] = await answers(requestOf);
    expect(wrong?.status).toBe(401);
    expect(wrong?.body).toContain("that email and password do not match an account");
    expect(disabled).toEqual(wrong);
    expect(unknown).toEqual(wrong);
  });
});

describe("a refused form gets the sign-in page again", () => {
  test("with the sentence and the address, never the password", async () => {
    await using app = await startSignIn();
    const form = { email: `"><b>@example.com`, password: "s3cret<>", next: "/notes" };
    const { status, body, headers } = await app.send("POST", session, { form, headers: html });
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      401,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    expect(body).toContain(`<p role="alert" id="refusal">that email and password do not match an account</p>`);
    expect(body).toContain(`value="&quot;&gt;&lt;b&gt;@example.com" aria-invalid="true" aria-describedby="refusal"`);
    expect(body).toContain(`name="next" value="/notes"`);
    expect(body).not.toContain("s3cret");
  });

  test("with the roles that were ticked", async () => {
    await using app = await startSignIn();
    const form = { dev_user: "alice", role: ["editor", "owner"] };
    const { status, body } = await app.send("POST", session, { form, headers: html });
    expect(status).toBe(400);
    expect(body).toContain(`value="editor" checked`);
    expect(body).toContain("owner is not a role that this app declares");
  });
});

describe("what is no sign-in is refused", () => {
  const cases: readonly [string, Parameters<SignInApp["send"]>[2], number, string][] = [
    ["no field", { form: {} }, 400, messages.signInFields],
    ["two ways at once", { form: { dev_user: "alice", idToken: "x" } }, 400, messages.signInFields],
    ["an address alone", { form: { email: "a@example.com" } }, 400, "form password: is required"],
    ["a password alone", { json: { password: "x" } }, 400, "body email: is required"],
    ["nobody's name", { form: { dev_user: "carol" } }, 400, "form dev_user: carol is not a test user"],
    [
      "a role that is not declared",
      { form: { dev_user: "alice", role: "owner" } },
      400,
      "role: owner is not a role that this app declares",
    ],
    ["a number for a token", { json: { idToken: 1 } }, 400, "body idToken: 1 is not a string"],
    ["a list with a number", { json: { dev_user: "alice", role: ["admin", 2] } }, 400, "body role: 2 is not a string"],
    ["a list for a body", { json: [] }, 400, "body: [] is not an object"],
    [
      "fields of the prototype",
      { json: JSON.parse('{"__proto__":{"dev_user":"alice"}}') as unknown },
      400,
      messages.signInFields,
    ],
    ["broken JSON", { form: "{", headers: { "content-type": "application/json" } }, 400, messages.invalidJSON],
    ["a broken escape", { form: "dev_user=%zz" }, 400, messages.formEncoding],
    ["text", { form: "alice", headers: { "content-type": "text/plain" } }, 415, messages.wantsFields],
    [
      "multipart",
      { form: "--b--", headers: { "content-type": "multipart/form-data; boundary=b" } },
      415,
      messages.wantsFields,
    ],
    [
      "another charset",
      { form: "a=b", headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-16" } },
      415,
      messages.wantsFields,
    ],
    ["too much", { form: { idToken: "x".repeat(signInBytes) } }, 413, messages.tooLarge(signInBytes)],
  ];

  test.each(cases)("%s", async (_, sent, status, error) => {
    await using app = await startSignIn();
    expectRefused(await app.send("POST", session, sent), status, error);
  });

  test("a browser reads the sentence as text where its form could not be read", async () => {
    await using app = await startSignIn();
    const answer = await app.send("POST", session, { form: "dev_user=%zz", headers: html });
    expect([answer.status, answer.body]).toEqual([400, messages.formEncoding]);
  });
});

describe("deployed, the service never sees passwords and knows no test users", () => {
  test.each([
    ["body", { json: { dev_user: "alice" } }],
    ["form", { form: { dev_user: "alice", role: ["admin"] } }],
    ["body", { json: { email: "ann@example.com", password: "correct horse" } }],
    ["form", { form: { email: "ann@example.com", password: "correct horse" } }],
  ])("in a %s: %j", async (where, sent) => {
    await using app = await startSignIn({ settings: settings.built("refused") });
    await account(app);
    expectRefused(await app.send("POST", session, sent), 400, `${where} idToken: is required`);
    expect(app.authPlatform.calls).not.toContain("accounts.checkPassword");
  });

  test("a form brings the ID token as JSON does", async () => {
    await using app = await startSignIn({ settings: settings.built("refused") });
    const form = { idToken: token(app, await account(app), "email"), next: "/notes" };
    const answer = await app.send("POST", session, { form });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/notes"]);
    expect(await who(app, answer.session)).toMatchObject({ provider: "email" });
  });
});

describe("signing out", () => {
  test("DELETE answers 204, a form is led to `next`, and both may come again", async () => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    for (const sent of [{ cookie }, { cookie }, {}]) {
      const answer = await app.send("DELETE", session, sent);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([204, "no-store"]);
    }
    for (const sent of [{ cookie }, {}]) {
      const answer = await app.send("POST", signOut, { form: { next: "/bye" }, ...sent });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/bye"]);
    }
  });

  test("ends the browser's own session only", async () => {
    await using app = await startSignIn();
    const [one, other] = [await signedIn(app), await signedIn(app)];
    await app.send("DELETE", session, { cookie: one });
    expect([await who(app, one), await who(app, other)]).toMatchObject([null, { email: "alice@example.com" }]);
  });
});

describe("another site cannot sign users in or out", () => {
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "surprise" },
    { "sec-fetch-site": "cross-site", origin: "SELF" },
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: "http://127.0.0.1:1" },
    { origin: "http://localhost" },
    { origin: "SELF.evil.example" },
    { origin: "file://" },
  ];
  const own: readonly Readonly<Record<string, string>>[] = [
    {},
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "same-origin", origin: "null" },
    { "sec-fetch-site": "none" },
    { origin: "SELF" },
  ];
  const requests = [
    ["POST", session, { form: { dev_user: "bob" } }],
    ["POST", signOut, { form: {} }],
    ["DELETE", session, {}],
  ] as const;

  const headersFor = (headers: Readonly<Record<string, string>>, url: string): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("SELF", url)]));

  test.each(foreign)("refused: %j", async (headers) => {
    await using app = await startSignIn();
    const cookie = await signedIn(app);
    for (const [method, path, sent] of requests) {
      const answer = await app.send(method, path, { ...sent, cookie, headers: headersFor(headers, app.url) });
      expectRefused(answer, 403, messages.crossSite);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await who(app, cookie)).toMatchObject({ email: "alice@example.com" });
  });

  test.each(own)("served: %j", async (headers) => {
    await using app = await startSignIn();
    for (const [method, path, sent] of requests) {
      const answer = await app.send(method, path, { ...sent, headers: headersFor(headers, app.url) });
      expect(answer.status).toBeLessThan(400);
    }
  });
});

describe("the endpoints", () => {
  test.each([
    ["GET", session, "DELETE, OPTIONS, POST"],
    ["PUT", session, "DELETE, OPTIONS, POST"],
    ["GET", signOut, "OPTIONS, POST"],
    ["DELETE", signOut, "OPTIONS, POST"],
    ["POST", "/_fw/signin", "GET, HEAD, OPTIONS"],
  ])("%s %s is 405 with Allow", async (method, path, allowed) => {
    await using app = await startSignIn();
    const answer = await app.send(method, path);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
  });

  test("are present only where Auth is declared", async () => {
    await using app = await startSignIn({ auth: "none" });
    for (const [method, path] of [
      ["POST", session],
      ["DELETE", session],
      ["POST", signOut],
      ["GET", "/_fw/signin"],
    ] as const) {
      expect((await app.send(method, path)).status).toBe(404);
    }
  });
});
