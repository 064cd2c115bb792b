import { describe, expect, test, vi } from "vitest";
import type { AccountMail } from "../../../declare/auth.ts";
import type { BundledAuth } from "../../bundle.ts";
import { PlatformError } from "../../../platform/errors.ts";
import { settings } from "../../settings.ts";
import type { AuthPlatform } from "../../testing/auth-platform.ts";
import { type Answer, type SignInApp, startSignIn } from "../../testing/sign-in.ts";
import { sessionKind } from "../kinds.ts";
import * as texts from "./account-texts.ts";
import { decoyBody } from "./decoy.ts";
import { factorKind, linkKind } from "./kinds.ts";
import { resetLinkMs, signUpLinkMs } from "./links.ts";
import { countMail, countSignIn } from "./rates.ts";
import { base32, codeAt, stepAt, stepSeconds } from "./totp.ts";

const auth: BundledAuth = { social: false, password: true, roles: [], tokens: true, account: true, signUp: true };
const html = { accept: "text/html" };
const hour = 3_600_000;

interface App extends SignInApp {
  /** The mails that subscribers would send, without decoys. */
  readonly mails: () => readonly AccountMail[];
  /** Submits a form as a browser would. */
  readonly post: (path: string, form: Record<string, string>, cookie?: string) => Promise<Answer>;
}

async function begin(own: BundledAuth = auth, on?: AuthPlatform): Promise<App> {
  const app = await startSignIn({ auth: own, ...(on && { on }) });
  return {
    ...app,
    mails: () =>
      app.authPlatform.messages
        .filter(({ destination, body }) => destination.name === "auth.mail" && body !== decoyBody)
        .map(({ body }) => JSON.parse(body) as AccountMail),
    post: (path, form, cookie) =>
      app.send("POST", path, { form, headers: html, ...(cookie !== undefined && { cookie }) }),
  };
}

const ann = "ann@example.com";
const password = "correct horse";

async function createAnn(app: App, more: object = {}): Promise<string> {
  const fields = { email: ann, name: "Ann", emailVerified: false, claims: {}, password, ...more };
  return (await app.platform.accounts.create(fields)).id;
}

function signIn(app: App, typed = password, email = ann): Promise<Answer> {
  return app.post("/_fw/api/session", { email, password: typed });
}

async function cookieOf(app: App): Promise<string> {
  const { session } = await signIn(app);
  if (session === undefined) throw new Error("the sign-in failed");
  return session;
}

const account = (app: App, cookie: string): Promise<Answer> =>
  app.send("GET", "/_fw/account", { cookie, headers: html });

function tokenIn({ body }: Answer): string {
  return /name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? "";
}

/** Submits a form of the account page with its form token. */
async function change(app: App, cookie: string, action: string, form: Record<string, string> = {}): Promise<Answer> {
  const token = tokenIn(await account(app, cookie));
  return app.post(`/_fw/account/${action}`, { _csrf: token, ...form }, cookie);
}

const lastPath = (app: App): string => app.mails().at(-1)?.path ?? "";

async function isSignedIn(app: App, cookie: string): Promise<boolean> {
  return (await app.send("GET", "/mine", { cookie })).status === 200;
}

describe("signing up", () => {
  test("mails a link behind which the person chooses a password and is signed in, once", async () => {
    await using app = await begin();
    const answer = await app.post("/_fw/signup", { email: ann, next: "/me" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/_fw/signup?sent"]);
    const [mail] = app.mails();
    expect(mail).toEqual({
      purpose: "sign-up",
      to: ann,
      name: "",
      path: expect.stringMatching(/^\/_fw\/link\/[\w-]{65}$/),
      expires: new Date(app.authPlatform.clock.now() + signUpLinkMs).toISOString(),
    });
    expect(await app.platform.accounts.byEmail(ann)).toBeUndefined();
    const path = mail?.path ?? "";
    for (let look = 0; look < 2; look++) expect((await app.send("GET", path)).status).toBe(200);
    const short = await app.post(path, { new_password: "short", name: "Ann" });
    expect([short.status, short.body.includes(texts.shortPassword(8)), short.body.includes('value="Ann"')]).toEqual([
      400,
      true,
      true,
    ]);
    const done = await app.post(path, { new_password: password, name: "Ann" });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/me"]);
    expect(await isSignedIn(app, done.session ?? "")).toBe(true);
    expect(await app.platform.accounts.byEmail(ann)).toMatchObject({ name: "Ann", emailVerified: true });
    expect((await app.post(path, { new_password: "another one" })).status).toBe(410);
    expect((await app.send("GET", path)).status).toBe(410);
    const events = app.authPlatform.messages.map(({ destination }) => destination.name);
    expect(events).toEqual(["auth.mail", "auth.registered", "auth.first-sign-in"]);
  });

  test("with an address that has an account changes nothing, and mails its person", async () => {
    await using app = await begin();
    await createAnn(app);
    await app.post("/_fw/signup", { email: "ANN@example.com" });
    expect(app.mails()).toMatchObject([{ purpose: "existing-account", to: ann, name: "Ann" }]);
    expect((await signIn(app)).status).toBe(303);
    const reset = await app.post(lastPath(app), { new_password: "battery staple" });
    expect([reset.status, reset.session]).toEqual([303, undefined]);
    expect((await signIn(app, "battery staple")).status).toBe(303);
  });

  test("a person whose address someone else has signed up chooses the password", async () => {
    await using app = await begin();
    const form = { email: ann, new_password: "of the attacker", password: "of the attacker", name: "Eve" };
    await app.post("/_fw/signup", form);
    await app.post(lastPath(app), { new_password: password });
    expect((await signIn(app, "of the attacker")).status).toBe(401);
    expect(await app.platform.accounts.byEmail(ann)).toMatchObject({ name: "" });
  });

  test("is missing unless the Auth declares it, as are all pages with an identity provider", async () => {
    await using app = await begin({ ...auth, signUp: undefined as never });
    expect((await app.send("GET", "/_fw/signup")).status).toBe(404);
    expect((await app.post("/_fw/signup", { email: ann })).status).toBe(404);
    expect((await app.send("GET", "/_fw/signin", { headers: html })).body).not.toContain("/_fw/signup");
    await using none = await begin({ social: true, password: true, roles: [] });
    for (const path of ["signup", "forgot", "account", "link/x", "account/password"])
      expect((await none.send("GET", `/_fw/${path}`)).status).toBe(404);
    const hosted = await startSignIn({ auth, settings: settings.built("guarded"), on: app.authPlatform });
    for (const path of ["signup", "forgot", "account", "link/x"])
      expect((await hosted.send("GET", `/_fw/${path}`)).status).toBe(404);
    await hosted.close();
  });
});

describe("no request tells whether an address has an account", () => {
  test.each(["/_fw/forgot", "/_fw/signup"])("%s has the same answer and the same work", async (path) => {
    await using app = await begin();
    await createAnn(app);
    await createAnn(app, { email: "off@example.com" }).then((id) => app.platform.accounts.setDisabled(id, true));
    const outcomes = new Set<string>();
    for (const email of [ann, "nobody@example.com", "off@example.com"]) {
      const { calls, messages } = app.authPlatform;
      calls.length = messages.length = 0;
      const answer = await app.post(path, { email });
      const { status, body, session } = answer;
      const headers = [...answer.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      outcomes.add(JSON.stringify([status, headers, body, session, calls, messages.length]));
    }
    expect([...outcomes]).toHaveLength(1);
  });

  test("a message that stands in for a mail names no address and no link", () => {
    expect(JSON.parse(decoyBody)).toEqual({ purpose: "none" });
  });

  test("rates are the same for known and unknown addresses", async () => {
    await using app = await begin();
    await createAnn(app);
    const statuses = async (email: string): Promise<readonly number[]> => {
      const all: number[] = [];
      for (let n = 0; n < 6; n++) all.push((await app.post("/_fw/forgot", { email })).status);
      return all;
    };
    expect(await statuses(ann)).toEqual([303, 303, 303, 303, 303, 429]);
    expect(await statuses("nobody@example.com")).toEqual([303, 303, 303, 303, 303, 429]);
  });

  test("the store holds no address of a person without an account", async () => {
    await using app = await begin();
    await app.post("/_fw/forgot", { email: "nobody@example.com" });
    const { documents } = await app.platform.entities.query({ kind: linkKind, filters: [], orders: [], limit: 10 });
    expect(documents).toHaveLength(1);
    expect(JSON.stringify(documents)).not.toContain("nobody");
  });
});

test.each([
  "ann@example.com,x",
  "x,ann@example.com",
  "x;ann@example.com",
  "<ann@example.com>",
  "x<ann@example.com",
  '"x"@example.com',
  "ann@example.com(x)",
  "ann@[127.0.0.1]",
])("an address that a mail library may read as another or as several gets no mail: %s", async (email) => {
  await using app = await begin();
  for (const path of ["/_fw/forgot", "/_fw/signup"]) expect((await app.post(path, { email })).status).toBe(400);
  expect(app.authPlatform.messages).toEqual([]);
  expect((await app.post("/_fw/signup", { email: "o'brien+x@exämple.com" })).status).toBe(303);
});

describe("a forgotten password", () => {
  test("is replaced behind a mailed link, which ends sessions and access tokens and verifies the address", async () => {
    await using app = await begin();
    const id = await createAnn(app);
    const cookie = await cookieOf(app);
    await app.post("/_fw/forgot", { email: ann });
    expect(app.mails()).toMatchObject([{ purpose: "reset", to: ann, name: "Ann" }]);
    const done = await app.post(lastPath(app), { new_password: "battery staple" });
    expect([done.status, done.headers.get("location"), done.session]).toEqual([303, "/_fw/signin", undefined]);
    expect(await isSignedIn(app, cookie)).toBe(false);
    expect([(await signIn(app)).status, (await signIn(app, "battery staple")).status]).toEqual([401, 303]);
    expect(await app.platform.accounts.get(id)).toMatchObject({ emailVerified: true });
    expect(app.mails().at(-1)).toEqual({ purpose: "password-changed", to: ann, name: "Ann", path: "/_fw/account" });
  });

  test("links end: after an hour, with a newer one, after another change, and when the account is disabled", async () => {
    await using app = await begin();
    const id = await createAnn(app);
    const link = async (): Promise<string> => {
      await app.post("/_fw/forgot", { email: ann });
      return lastPath(app);
    };
    const status = async (path: string): Promise<number> => (await app.send("GET", path)).status;
    const old = await link();
    expect(await status(old)).toBe(200);
    const newer = await link();
    expect([await status(old), await status(newer)]).toEqual([410, 200]);
    app.authPlatform.clock.advance(resetLinkMs);
    expect(await status(newer)).toBe(410);
    const beforeChange = await link();
    await app.platform.accounts.change(id, { password: "battery staple" });
    expect(await status(beforeChange)).toBe(410);
    expect((await app.post(beforeChange, { new_password: "of the attacker" })).status).toBe(410);
    const beforeDisable = await link();
    await app.platform.accounts.setDisabled(id, true);
    expect((await app.post(beforeDisable, { new_password: "of the attacker" })).status).toBe(410);
  });

  test.each(["change", "create"] as const)(
    "a link whose %s conflicts with another write works again",
    async (write) => {
      await using app = await begin();
      if (write === "change") await createAnn(app);
      await app.post(write === "change" ? "/_fw/forgot" : "/_fw/signup", { email: ann });
      const path = lastPath(app);
      const use = (): Promise<Answer> => app.post(path, { new_password: "battery staple" });
      vi.spyOn(app.platform.accounts, write).mockRejectedValueOnce(new PlatformError("conflict", "another write"));
      expect([(await use()).status, (await use()).status]).toEqual([409, 303]);
      expect((await signIn(app, "battery staple")).status).toBe(303);
      expect((await use()).status).toBe(410);
    },
  );

  test("of many concurrent uses of a link one succeeds", async () => {
    await using app = await begin();
    await createAnn(app);
    await app.post("/_fw/forgot", { email: ann });
    const path = lastPath(app);
    const tries = Array.from({ length: 8 }, (_, n) => app.post(path, { new_password: `password ${n}` }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 410, 410, 410, 410, 410, 410, 410]);
  });

  test.each([
    ["a changed secret", (token: string) => `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`],
    ["a secret that is cut", (token: string) => token.slice(0, -1)],
    ["a longer one", (token: string) => `${token}A`],
    ["another document", (token: string) => `${"A".repeat(22)}${token.slice(22)}`],
    ["its id alone", (token: string) => token.slice(0, 22)],
    ["none", () => ""],
    ["a path", () => "../account"],
    ["a NUL", () => "%00"],
  ])("a forged link is dead: %s", async (_, forge) => {
    await using app = await begin();
    await createAnn(app);
    await app.post("/_fw/forgot", { email: ann });
    const token = lastPath(app).slice("/_fw/link/".length);
    const answer = await app.post(`/_fw/link/${forge(token)}`, { new_password: "of the attacker" });
    expect([400, 404, 405, 410]).toContain(answer.status);
    expect((await signIn(app)).status).toBe(303);
  });

  test("a person whom the social provider signs in gets no password, so that leaving there ends the access", async () => {
    await using app = await begin({ ...auth, social: true });
    await createAnn(app, { password: undefined });
    await app.post("/_fw/forgot", { email: ann });
    expect(app.mails()).toEqual([]);
    await app.post("/_fw/signup", { email: ann });
    expect(app.mails()).toMatchObject([{ purpose: "existing-account", path: "/_fw/signin" }]);
    await using passwordsOnly = await begin();
    await createAnn(passwordsOnly, { password: undefined });
    await passwordsOnly.post("/_fw/forgot", { email: ann });
    await passwordsOnly.post(lastPath(passwordsOnly), { new_password: password });
    expect((await signIn(passwordsOnly)).status).toBe(303);
  });

  test("tokens are stored as hashes only, and never logged", async () => {
    await using app = await begin();
    await createAnn(app);
    await app.post("/_fw/forgot", { email: ann });
    const secret = lastPath(app).slice("/_fw/link/".length + 22);
    const { documents } = await app.platform.entities.query({ kind: linkKind, filters: [], orders: [], limit: 10 });
    expect(JSON.stringify(documents)).not.toContain(secret);
    await app.post(lastPath(app), { new_password: "battery staple" });
    const logged = JSON.stringify(app.authPlatform.logs);
    for (const text of [secret, "battery staple", ann]) expect(logged).not.toContain(text);
  });
});

describe("the account page", () => {
  test("belongs to a signed-in browser: others are sent to sign in, forms without their token refused", async () => {
    await using app = await begin();
    const id = await createAnn(app);
    const anonymous = await app.send("GET", "/_fw/account", { headers: html });
    expect([anonymous.status, anonymous.headers.get("location")]).toEqual([303, "/_fw/signin?next=%2F_fw%2Faccount"]);
    expect((await app.post("/_fw/account/sessions/end-all", {})).status).toBe(401);
    const cookie = await cookieOf(app);
    const other = await cookieOf(app);
    const otherToken = tokenIn(await account(app, other));
    for (const _csrf of ["", "x", "A".repeat(86), otherToken])
      expect((await app.post("/_fw/account/sessions/end-all", { _csrf }, cookie)).status).toBe(403);
    const headers = { ...html, "sec-fetch-site": "cross-site" };
    const _csrf = tokenIn(await account(app, cookie));
    const foreign = await app.send("POST", "/_fw/account/sessions/end-all", { form: { _csrf }, cookie, headers });
    expect(foreign.status).toBe(403);
    expect((await change(app, cookie, "toString")).status).toBe(404);
    expect((await app.send("GET", "/_fw/account/password", { cookie })).headers.get("location")).toBe("/_fw/account");
    expect(await app.platform.accounts.checkPassword(ann, password)).toMatchObject({ id });
    expect(await isSignedIn(app, cookie)).toBe(true);
  });

  test("an access token opens it as little as no session", async () => {
    await using app = await begin();
    const id = await createAnn(app);
    const cookie = await cookieOf(app);
    const { Sessions } = await import("../sessions.ts");
    const parts = { name: "ci", lifetime: undefined, roles: undefined };
    const { secret = "", id: token = "" } = (await new Sessions(app.platform).createToken(id, "email", parts)) ?? {};
    const headers = { ...html, authorization: `Bearer ${secret}` };
    expect((await app.send("GET", "/_fw/account", { headers })).status).toBe(303);
    expect((await app.send("GET", "/_fw/account", { headers, cookie })).status).toBe(303);
    expect((await account(app, cookie)).body).toContain("Revoke ci");
    expect((await change(app, cookie, "tokens/revoke", { id: token })).status).toBe(303);
    expect(await new Sessions(app.platform).tokens(id)).toEqual([]);
  });

  test("changes the password after the current one, ends other sessions and renews its own", async () => {
    await using app = await begin();
    await createAnn(app);
    const cookie = await cookieOf(app);
    const other = await cookieOf(app);
    const wrong = await change(app, cookie, "password", { password: "wrong", new_password: "battery staple" });
    expect([wrong.status, wrong.body.includes(texts.notYourPassword)]).toEqual([401, true]);
    const short = await change(app, cookie, "password", { password, new_password: "seven c" });
    expect([short.status, short.body.includes(texts.shortPassword(8))]).toEqual([400, true]);
    const done = await change(app, cookie, "password", { password, new_password: "battery staple" });
    expect(done.headers.get("location")).toBe("/_fw/account?done=password");
    expect([await isSignedIn(app, cookie), await isSignedIn(app, other)]).toEqual([false, false]);
    expect(await isSignedIn(app, done.session ?? "")).toBe(true);
    expect((await signIn(app, "battery staple")).status).toBe(303);
    expect(app.mails()).toMatchObject([{ purpose: "password-changed" }]);
  });

  test("verifies an address by a mailed link, at the next request of every session", async () => {
    await using app = await begin();
    await createAnn(app);
    const cookie = await cookieOf(app);
    expect((await change(app, cookie, "verify")).headers.get("location")).toBe("/_fw/account?done=sent");
    expect(app.mails()).toMatchObject([{ purpose: "verify", to: ann }]);
    expect((await app.send("GET", lastPath(app))).body).toContain("Verify the address");
    const user = async (): Promise<unknown> => JSON.parse((await app.send("GET", "/mine", { cookie })).body);
    expect(await user()).toMatchObject({ emailVerified: false });
    expect((await app.post(lastPath(app), {})).status).toBe(303);
    expect(await user()).toMatchObject({ emailVerified: true });
    expect((await app.post(lastPath(app), {})).status).toBe(410);
  });

  test("lists sessions with their browsers, ends one, and signs out everywhere", async () => {
    await using app = await begin();
    await createAnn(app);
    const headers = { ...html, "user-agent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0" };
    const form = { email: ann, password };
    const { session: other = "" } = await app.send("POST", "/_fw/api/session", { form, headers });
    const cookie = await cookieOf(app);
    const page = await account(app, cookie);
    expect(page.body).toContain("Firefox on Windows");
    const id = /name="id" value="(\w{64})"/.exec(page.body)?.[1] ?? "";
    expect(page.body.match(/End this session/g)).toHaveLength(1);
    await change(app, cookie, "sessions/end", { id: "0".repeat(64) });
    expect(await isSignedIn(app, other)).toBe(true);
    await change(app, cookie, "sessions/end", { id });
    expect([await isSignedIn(app, other), await isSignedIn(app, cookie)]).toEqual([false, true]);
    const third = await cookieOf(app);
    const all = await change(app, cookie, "sessions/end-all");
    expect(all.headers.get("location")).toBe("/_fw/signin");
    expect([await isSignedIn(app, third), await isSignedIn(app, cookie)]).toEqual([false, false]);
  });

  test("ends no session of another account", async () => {
    await using app = await begin();
    await createAnn(app);
    await createAnn(app, { email: "bob@example.com" });
    const { session: bob = "" } = await signIn(app, password, "bob@example.com");
    const { documents } = await app.platform.entities.query({ kind: sessionKind, filters: [], orders: [], limit: 9 });
    const cookie = await cookieOf(app);
    await change(app, cookie, "sessions/end", { id: documents[0]?.id ?? "" });
    await change(app, cookie, "sessions/end-all");
    expect(await isSignedIn(app, bob)).toBe(true);
  });

  test("escapes every value of people and clients", async () => {
    await using app = await begin();
    const name = `<script>alert("x")</script>{{csrf}}'`;
    await createAnn(app, { name, email: "a&b<i>@example.com" });
    const headers = { ...html, "user-agent": `"><img src=x onerror=alert(1)>` };
    const form = { email: "a&b<i>@example.com", password };
    const { session: cookie = "" } = await app.send("POST", "/_fw/api/session", { form, headers });
    const { body } = await account(app, cookie);
    expect(body).not.toMatch(/<script|<img|<i>/);
    expect(body).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;{{csrf}}");
    const typed = `"><script>1</script>@x`;
    for (const path of ["/_fw/signup", "/_fw/forgot"]) {
      const refused = await app.post(path, { email: `${typed} y`, next: `"><script>` });
      expect([refused.status, refused.body.includes("<script>1")]).toEqual([400, false]);
    }
    const done = await app.send("GET", "/_fw/account?done=%3Cscript%3E", { cookie });
    expect(done.body).not.toContain("<script");
    expect(done.body).not.toContain('role="status"');
    expect((await app.send("GET", "/_fw/account?done=constructor", { cookie })).body).not.toContain('role="status"');
  });

  test.each(["https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)"])(
    "signing up continues on this origin, not at %j",
    async (next) => {
      await using app = await begin();
      expect((await app.send("GET", `/_fw/signup?next=${encodeURIComponent(next)}`)).body).toContain(
        'name="next" value="/"',
      );
      await app.post("/_fw/signup", { email: ann, next });
      const done = await app.post(lastPath(app), { new_password: password });
      expect(done.headers.get("location")).toBe("/");
    },
  );

  test.each([
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com\nX: y",
    "a b@example.com",
    "a@example.com,b@c",
    "@",
    "",
  ])("%j cannot become a header of a mail", async (email) => {
    await using app = await begin();
    const answer = await app.post("/_fw/signup", { email });
    const to = app.mails().map((mail) => mail.to);
    // A comma is valid in the local part, but no address has two @.
    expect(answer.status).toBe(400);
    expect(to).toEqual([]);
  });

  test("no cache, frame or script takes part, and a style sheet only if the Auth names one", async () => {
    await using app = await begin();
    for (const path of ["/_fw/signup", "/_fw/forgot", "/_fw/link/x"]) {
      const { headers, body } = await app.send("GET", path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(body).not.toMatch(/<script|<link/);
    }
    await using styled = await begin({ ...auth, style: "/own.css" });
    for (const path of ["/_fw/signin", "/_fw/signup"]) {
      const { headers, body } = await styled.send("GET", path);
      expect(body).toContain('<link rel="stylesheet" href="/own.css">');
      expect(headers.get("content-security-policy")).toMatch(/style-src 'sha256-[^']+' 'self'; .*; font-src 'self'$/);
    }
  });
});

describe("the second factor", () => {
  /** Turns the second factor on, and returns its secret and recovery codes. */
  async function turnOn(app: App, cookie: string): Promise<{ secret: Buffer; recovery: readonly string[] }> {
    const page = await change(app, cookie, "factor", { password });
    expect(page.status).toBe(200);
    const id = (await app.platform.accounts.byEmail(ann))?.id ?? "";
    const factor = await app.platform.entities.get({ kind: factorKind, id });
    const secret = Buffer.from(factor?.fields["secret"] as string, "base64url");
    expect(page.body.replaceAll(" ", "")).toContain(base32(secret));
    const form = { code: current(app, secret), challenge: challengeIn(page) };
    const done = await change(app, cookie, "factor/confirm", form);
    const recovery = Array.from(done.body.matchAll(/<li><code>([^<]+)<\/code>/g), ([, code = ""]) => code);
    expect(recovery).toHaveLength(10);
    app.authPlatform.clock.advance(stepSeconds * 1_000);
    return { secret, recovery };
  }

  const current = (app: App, secret: Buffer): string => codeAt(secret, stepAt(app.authPlatform.clock.now()));

  const challengeIn = ({ body }: Answer): string => /name="challenge" value="([^"]+)"/.exec(body)?.[1] ?? "";

  async function challenge(app: App): Promise<string> {
    const answer = await signIn(app);
    expect([answer.status, answer.session]).toEqual([401, undefined]);
    return challengeIn(answer);
  }

  const sendCode = (app: App, token: string, code: string): Promise<Answer> =>
    app.post("/_fw/api/session", { challenge: token, code, next: "/me" });

  test("asks for a code after the password, and takes each code once", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    const code = current(app, secret);
    const first = await challenge(app);
    const second = await challenge(app);
    const wrong = await sendCode(app, first, code === "000000" ? "000001" : "000000");
    expect([wrong.status, wrong.session, challengeIn(wrong)]).toEqual([401, undefined, first]);
    expect(wrong.body).toContain(texts.wrongCode);
    const done = await sendCode(app, first, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect([done.status, done.headers.get("location")]).toEqual([303, "/me"]);
    expect(await isSignedIn(app, done.session ?? "")).toBe(true);
    // The code is refused in another sign-in of the same step, and the used challenge even with the next code.
    expect((await sendCode(app, second, code)).status).toBe(401);
    app.authPlatform.clock.advance(stepSeconds * 1_000);
    expect((await sendCode(app, first, current(app, secret))).body).toContain(texts.lateCode);
    expect((await sendCode(app, second, current(app, secret))).status).toBe(303);
  });

  test("of concurrent uses of a code one succeeds", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    const tokens = [await challenge(app), await challenge(app), await challenge(app), await challenge(app)];
    const code = current(app, secret);
    const statuses = (await Promise.all(tokens.map((token) => sendCode(app, token, code)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 401, 401, 401]);
  });

  test("a program gets the challenge as details, and sends it with the code", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    const refusal = await app.send("POST", "/_fw/api/session", { json: { email: ann, password } });
    const { error, details } = JSON.parse(refusal.body) as { error: string; details: { challenge: string } };
    expect([refusal.status, error]).toEqual([401, texts.needsCode]);
    const json = { challenge: details.challenge, code: current(app, secret) };
    const done = await app.send("POST", "/_fw/api/session", { json });
    expect([done.status, JSON.parse(done.body)]).toMatchObject([200, { user: { email: ann } }]);
  });

  test("guessing is limited for each account, whatever challenges an attacker collects", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    const guess = async (): Promise<number> => (await sendCode(app, await challenge(app), "12345")).status;
    // One of the five attempts was spent on turning it on.
    expect([await guess(), await guess(), await guess(), await guess(), await guess()]).toEqual([
      401, 401, 401, 401, 429,
    ]);
    expect((await sendCode(app, await challenge(app), current(app, secret))).status).toBe(429);
  });

  test("a recovery code replaces one code, once, in any spelling, and can be renewed", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret, recovery } = await turnOn(app, await cookieOf(app));
    const [one = "", two = ""] = recovery;
    const done = await sendCode(app, await challenge(app), one.toLowerCase().replaceAll("-", " "));
    expect(done.status).toBe(303);
    expect((await sendCode(app, await challenge(app), one)).status).toBe(401);
    const cookie = done.session ?? "";
    expect((await account(app, cookie)).body).toContain("9 recovery codes are left.");
    const renewed = await change(app, cookie, "factor/codes", { password, code: current(app, secret) });
    expect(renewed.body).not.toContain(two);
    app.authPlatform.clock.advance(hour);
    expect((await sendCode(app, await challenge(app), two)).status).toBe(401);
    const id = (await app.platform.accounts.byEmail(ann))?.id ?? "";
    const stored = JSON.stringify(await app.platform.entities.get({ kind: factorKind, id }));
    for (const code of renewed.body.matchAll(/<li><code>([^<]+)<\/code>/g)) expect(stored).not.toContain(code[1]);
  });

  test("is not turned on without the password and a code, and not off without both", async () => {
    await using app = await begin();
    await createAnn(app);
    const cookie = await cookieOf(app);
    expect((await change(app, cookie, "factor", { password: "wrong" })).status).toBe(401);
    expect((await change(app, cookie, "factor/confirm", { code: "000000" })).status).toBe(401);
    const page = await change(app, cookie, "factor", { password });
    const again = await change(app, cookie, "factor/confirm", { code: "12345", challenge: challengeIn(page) });
    expect([again.status, /<code>([A-Z2-7 ]+)<\/code>/.exec(again.body)?.[1]]).toEqual([
      401,
      /<code>([A-Z2-7 ]+)<\/code>/.exec(page.body)?.[1],
    ]);
    expect((await signIn(app)).status).toBe(303);
    const { secret } = await turnOn(app, cookie);
    expect((await change(app, cookie, "factor", { password })).status).toBe(409);
    app.authPlatform.clock.advance(hour);
    const code = (): string => current(app, secret);
    expect((await change(app, cookie, "factor/off", { password: "wrong", code: code() })).status).toBe(401);
    expect((await change(app, cookie, "factor/off", { password, code: "12345" })).status).toBe(401);
    expect((await change(app, cookie, "factor/off", { password, code: code() })).status).toBe(303);
    expect((await signIn(app)).status).toBe(303);
  });

  test("that was set up and not turned on is neither shown to a thief of the session nor turned on by one", async () => {
    await using app = await begin();
    const id = await createAnn(app);
    const cookie = await cookieOf(app);
    const page = await change(app, cookie, "factor", { password });
    const key = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.body)?.[1] ?? "";
    const factor = await app.platform.entities.get({ kind: factorKind, id });
    const code = current(app, Buffer.from(factor?.fields["secret"] as string, "base64url"));
    const forms: readonly Record<string, string>[] = [
      { code: "12345" },
      { code },
      { code, challenge: "" },
      { code, challenge: "A".repeat(32) },
    ];
    for (const form of forms) {
      const refused = await change(app, cookie, "factor/confirm", form);
      expect([refused.status, refused.body.includes(key)]).toEqual([401, false]);
    }
    expect((await signIn(app)).status).toBe(303);
    // These attempts must not count toward the limit.
    for (let n = 0; n < 4; n++)
      await change(app, cookie, "factor/confirm", { code: "12345", challenge: challengeIn(page) });
    const done = await change(app, cookie, "factor/confirm", { code, challenge: challengeIn(page) });
    expect(done.body.match(/<li>/g)).toHaveLength(10);
  });

  test("is still asked for after a reset of the password, and a challenge from before is dead", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    const before = await challenge(app);
    await app.post("/_fw/forgot", { email: ann });
    const reset = await app.post(lastPath(app), { new_password: "battery staple" });
    expect(reset.session).toBeUndefined();
    expect((await sendCode(app, before, current(app, secret))).session).toBeUndefined();
    app.authPlatform.clock.advance(stepSeconds * 1_000);
    const answer = await signIn(app, "battery staple");
    expect(answer.status).toBe(401);
    expect((await sendCode(app, challengeIn(answer), current(app, secret))).status).toBe(303);
  });

  test("a link that was mailed is no challenge, and a challenge no link", async () => {
    await using app = await begin();
    await createAnn(app);
    const { secret } = await turnOn(app, await cookieOf(app));
    await app.post("/_fw/forgot", { email: ann });
    const link = lastPath(app).slice("/_fw/link/".length);
    expect((await sendCode(app, link, current(app, secret))).body).toContain(texts.lateCode);
    const path = `/_fw/link/${await challenge(app)}`;
    expect((await app.post(path, { new_password: "of the attacker" })).status).toBe(410);
  });
});

describe("passwords", () => {
  test("attempts for one address are limited, the same for unknown addresses", async () => {
    await using app = await begin();
    await createAnn(app);
    for (const email of [ann, "nobody@example.com"]) {
      const statuses: number[] = [];
      for (let n = 0; n < 21; n++) statuses.push((await signIn(app, "wrong", email)).status);
      expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    }
    const late = await signIn(app);
    expect([late.status, Number(late.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(late.body).toContain("too many requests");
    app.authPlatform.clock.advance(hour);
    expect((await signIn(app)).status).toBe(303);
  });

  test("a client with a network of IPv6 counts once, whatever its address", async () => {
    await using app = await begin();
    const address = (n: number): string => `2001:db8:0:1:${n.toString(16)}::1`;
    const mail = (n: number, ip: string): Promise<void> => countMail(app.platform, `p${n}@example.com`, ip);
    for (let n = 0; n < 30; n++) await mail(n, address(n));
    for (const ip of [address(99), "2001:DB8::1:0:0:0:9"]) await expect(mail(99, ip)).rejects.toThrow("too many");
    for (const ip of ["2001:db8:0:2::1", "2001:db8::1", "::1", "192.0.2.1"]) await mail(98, ip);
    for (let n = 0; n < 20; n++) await countSignIn(app.platform, ann, address(n));
    await expect(countSignIn(app.platform, ann, address(99))).rejects.toThrow("too many");
  });

  test("an account that is deleted takes its second factor along", async () => {
    await using app = await begin();
    const { accountsOf } = await import("../users.ts");
    const id = await createAnn(app);
    await app.platform.entities.upsert({ kind: factorKind, id }, { secret: "x", isOn: true });
    await accountsOf(app.platform, auth).delete(id);
    expect(await app.platform.entities.get({ kind: factorKind, id })).toBeUndefined();
  });
});
