import { describe, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { bundleOf, documentOf, pages, siteOf, start, type TestEndpoint } from "../testing/app.ts";
import { exchange, parseAnswer, request } from "../testing/server.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { setSessionCookie } from "../auth/cookie.ts";
import { Sessions } from "../auth/sessions.ts";
import { accountsOf } from "../auth/users.ts";
import { TestSessions } from "../testing/sessions.ts";
import { settings } from "../settings.ts";

const refusal = "CSRF token missing or invalid — forms need {{ csrf }}";
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const site = siteOf({
  templates: {
    "form.html": (_data, page) => page.csrf(),
    "token.html": (_data, page) => page.csrfToken(),
    "twice.html": (_data, page) => `${page.csrfToken()} ${page.csrfToken()}`,
    "plain.html": () => "plain",
  },
});

function app(options: Parameters<typeof start>[1] = {}, post: TestEndpoint = {}) {
  const handlerCalls: unknown[] = [];
  const page = (template: string) => (ctx: Context) => site.declaration.fragment(ctx, template);
  const bundle = bundleOf(
    pages({
      "GET /form": page("form.html"),
      "GET /token": page("token.html"),
      "GET /twice": page("twice.html"),
      "GET /plain": page("plain.html"),
      "GET /cached": { maxAge: 60, run: page("form.html") },
      "POST /save": {
        carries: "form",
        run: (_ctx, raw) => (handlerCalls.push(raw.form?.values), documentOf("saved")),
        ...post,
      },
      "DELETE /note": () => documentOf("deleted"),
    }),
    { site },
  );
  return start(bundle, options).then((server) => ({ ...server, served: handlerCalls }));
}

type App = Awaited<ReturnType<typeof app>>;

/** Opens the form in a new browser. Returns the browser's cookie and the form's token. */
async function open({ port }: App, headers: Record<string, string> = {}) {
  const answer = await request(port, "/token", headers);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { cookie, token: answer.body };
}

async function post({ port }: App, body: string, headers: Record<string, string>, path = "/save") {
  const all = {
    Host: "x",
    Connection: "close",
    ...form,
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return parseAnswer(await exchange(port, `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`));
}

describe("CSRF", () => {
  test("{{ csrf }} expands to a hidden input named _csrf", async () => {
    await using server = await app();
    expect((await request(server.port, "/form")).body).toMatch(
      /^<input type="hidden" name="_csrf" value="[\w-]{86}">$/,
    );
  });

  test("a page that another service requests for an anonymous client has no token", async () => {
    await using server = await app({ callers: { verify: () => "orders" } });
    const answer = await request(server.port, "/token", { Authorization: "Bearer token" });
    expect([answer.status, answer.body, answer.headers.get("set-cookie")]).toEqual([200, "", undefined]);
  });

  test("anonymous browsers use a double-submit cookie that scripts cannot read", async () => {
    await using server = await app();
    const cookie = (await request(server.port, "/form")).headers.get("set-cookie");
    expect(cookie).toMatch(/^fw_csrf=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("a cookie of another form than the server's is replaced", async () => {
    await using server = await app();
    const { cookie } = await open(server);
    const replaced = async (value: string): Promise<boolean> =>
      (await request(server.port, "/token", { Cookie: value })).headers.has("set-cookie");
    expect(await replaced(cookie)).toBe(false);
    for (const value of [`${cookie}.x`, `${cookie}x`, cookie.replace(/=./, "=*"), "fw_csrf=.", "fw_csrf="])
      expect(await replaced(value), value).toBe(true);
  });

  test("over https the cookie is bound to the host", async () => {
    await using server = await app({ settings: settings.built("refused") });
    const answer = await request(server.port, "/form", { "X-Forwarded-Proto": "https" });
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-fw_csrf=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  });

  test("the token may come from a form field `_csrf`", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    expect(await post(server, `_csrf=${token}&title=a`, { Cookie: cookie })).toMatchObject({
      status: 200,
      body: "saved",
    });
    expect(server.served).toEqual([
      new Map([
        ["_csrf", [token]],
        ["title", ["a"]],
      ]),
    ]);
  });

  test("the token may come from a header `X-CSRF-Token`", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    expect((await post(server, "title=a", { Cookie: cookie, "X-CSRF-Token": token })).status).toBe(200);
  });

  test("the token may come in a multipart form", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    const body = `--b\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n${token}\r\n--b--\r\n`;
    const answer = await post(server, body, { Cookie: cookie, "Content-Type": "multipart/form-data; boundary=b" });
    expect(answer.status).toBe(200);
  });

  test("applies to every unsafe-method Page route, also where it declares no form", async () => {
    await using server = await app({}, { carries: "nothing" });
    const { cookie, token } = await open(server);
    expect((await request(server.port, "/note", { Cookie: cookie }, "DELETE")).status).toBe(403);
    expect((await request(server.port, "/note", { Cookie: cookie, "X-CSRF-Token": token }, "DELETE")).status).toBe(200);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookie })).status).toBe(200);
  });

  test("a browser keeps its cookie, and every form of it its own token", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    const again = await request(server.port, "/token", { Cookie: cookie });
    expect(again.headers.has("set-cookie")).toBe(false);
    expect(again.body).not.toBe(token);
    expect((await post(server, `_csrf=${again.body}`, { Cookie: cookie })).status).toBe(200);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookie })).status).toBe(200);
  });

  test("one response mints one cookie", async () => {
    await using server = await app();
    const answer = await request(server.port, "/twice");
    const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    for (const token of answer.body.split(" "))
      expect((await post(server, `_csrf=${token}`, { Cookie: cookie })).status).toBe(200);
  });

  test("a page with MaxAge mints no cookie, so {{ csrf }} renders empty there", async () => {
    await using server = await app();
    const answer = await request(server.port, "/cached");
    expect([answer.body, answer.headers.has("set-cookie")]).toEqual(["", false]);
  });

  test("a page without a form mints no cookie", async () => {
    await using server = await app();
    expect((await request(server.port, "/plain")).headers.has("set-cookie")).toBe(false);
  });

  test("the tokens outlive a reload of the code", async () => {
    await using server = await app();
    await using reloaded = await app();
    const { cookie, token } = await open(server);
    expect((await post(reloaded, `_csrf=${token}`, { Cookie: cookie })).status).toBe(200);
  });
});

describe("a stale or missing token on an unsafe page route is refused with 403, and the handler never runs:", () => {
  type Browser = Awaited<ReturnType<typeof open>>;
  const flipped = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
  const attempts: Record<string, (own: Browser, other: Browser) => [body: string, headers: Record<string, string>]> = {
    "no token": ({ cookie }) => ["title=a", { Cookie: cookie }],
    "an empty token": ({ cookie }) => ["_csrf=", { Cookie: cookie }],
    "no cookie": ({ token }) => [`_csrf=${token}`, {}],
    "another browser's token": ({ cookie }, other) => [`_csrf=${other.token}`, { Cookie: cookie }],
    "another browser's cookie": ({ token }, other) => [`_csrf=${token}`, { Cookie: other.cookie }],
    "an altered token": ({ cookie, token }) => [`_csrf=${flipped(token, 60)}`, { Cookie: cookie }],
    "a token cut short": ({ cookie, token }) => [`_csrf=${token.slice(0, -1)}`, { Cookie: cookie }],
    "a token with more": ({ cookie, token }) => [`_csrf=${token}A`, { Cookie: cookie }],
    "the cookie for a token": ({ cookie }) => [`_csrf=${cookie.slice(cookie.indexOf("=") + 1)}`, { Cookie: cookie }],
    "an altered cookie": ({ cookie, token }) => [`_csrf=${token}`, { Cookie: flipped(cookie, 20) }],
    "a planted cookie": ({ cookie, token }) => [
      `_csrf=${token}`,
      { Cookie: `${cookie.slice(0, cookie.indexOf("="))}=${"A".repeat(43)}.${"A".repeat(43)}` },
    ],
    "a planted cookie before the own one": ({ cookie }, other) => [
      `_csrf=${"A".repeat(86)}`,
      { Cookie: `${other.cookie}; ${cookie}` },
    ],
    "a wrong header beside a right field": ({ cookie, token }) => [
      `_csrf=${token}`,
      { Cookie: cookie, "X-CSRF-Token": "no" },
    ],
    "a request of another site": ({ cookie, token }) => [
      `_csrf=${token}`,
      { Cookie: cookie, "Sec-Fetch-Site": "cross-site" },
    ],
    "a request of a sibling host": ({ cookie, token }) => [
      `_csrf=${token}`,
      { Cookie: cookie, "Sec-Fetch-Site": "same-site" },
    ],
    "another site's origin": ({ cookie, token }) => [
      `_csrf=${token}`,
      { Cookie: cookie, Origin: "https://evil.example" },
    ],
  };
  const schemes = ["http", "https"] as const;
  const cases = Object.entries(attempts).flatMap(([what, attempt]) =>
    schemes.map((scheme) => [what, scheme, attempt] as const),
  );
  for (const [what, scheme, attempt] of cases) {
    test(`${what} (${scheme})`, async () => {
      await using server = await app({ settings: settings.built("refused") });
      const forwarded = { "X-Forwarded-Proto": scheme };
      const [body, headers] = attempt(await open(server, forwarded), await open(server, forwarded));
      const answer = await post(server, body, { ...forwarded, ...headers });
      expect(answer.status).toBe(403);
      expect(Buffer.from(answer.body, "latin1").toString()).toBe(refusal);
      expect(server.served).toEqual([]);
    });
  }

  test("no body at all", async () => {
    await using server = await app();
    const answer = await request(server.port, "/save", {}, "POST");
    expect([answer.status, Buffer.from(answer.body, "latin1").toString()]).toEqual([403, refusal]);
  });

  test("a body that is no form, which is not even read", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    const json = { Cookie: cookie, "Content-Type": "application/json" };
    expect((await post(server, "{}", json)).status).toBe(403);
    expect((await post(server, "{}", { ...json, "X-CSRF-Token": token })).status).toBe(415);
    expect(server.served).toEqual([]);
  });

  test("a token in the query", async () => {
    await using server = await app();
    const { cookie, token } = await open(server);
    expect((await post(server, "title=a", { Cookie: cookie }, `/save?_csrf=${token}`)).status).toBe(403);
  });

  test("a token made with another key", async () => {
    await using server = await app();
    await using other = await app({ csrfKey: new Uint8Array(32).fill(7) });
    const { cookie, token } = await open(other);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookie })).status).toBe(403);
  });

  test("a cookie minted without https, once https is there", async () => {
    await using server = await app({ settings: settings.built("refused") });
    const { cookie, token } = await open(server);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookie, "X-Forwarded-Proto": "https" })).status).toBe(403);
  });
});

describe("signed-in sessions use their own session-bound token:", () => {
  /** Opens a form with these cookies. Returns the form's token and the client's resulting cookies. */
  async function openAs(server: App, cookies: string) {
    const { cookie, token } = await open(server, { Cookie: cookies });
    return { token, cookies: [cookies, cookie].filter((each) => each !== "").join("; ") };
  }

  test("it admits in the field and in the header, and no cookie is minted for it", async () => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const session = sessions.signIn();
    const { token, cookies } = await openAs(server, session);
    expect(cookies).toBe(session);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookies })).status).toBe(200);
    expect((await post(server, "", { Cookie: cookies, "X-CSRF-Token": token })).status).toBe(200);
  });

  test("every form has a text of its own, and each admits", async () => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const Cookie = sessions.signIn();
    const tokens = [await open(server, { Cookie }), await open(server, { Cookie })].map((each) => each.token);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect((await post(server, `_csrf=${token}`, { Cookie })).status).toBe(200);
  });

  const attempts: Record<string, (server: App, sessions: TestSessions) => Promise<{ token: string; cookies: string }>> =
    {
      "an anonymous token taken before sign-in": async (server, sessions) => {
        const { token, cookies } = await openAs(server, "");
        return { token, cookies: `${cookies}; ${sessions.signIn()}` };
      },
      "a session's token after sign-out": async (server, sessions) => {
        const anonymous = await openAs(server, "");
        const session = sessions.signIn();
        const { token } = await openAs(server, `${session}; ${anonymous.cookies}`);
        sessions.signOut(session);
        return { token, cookies: `${session}; ${anonymous.cookies}` };
      },
      "a session's token without the session": async (server, sessions) => {
        const { token } = await openAs(server, sessions.signIn());
        return { token, cookies: (await openAs(server, "")).cookies };
      },
      "the token of the session before": async (server, sessions) => {
        const { token } = await openAs(server, sessions.signIn());
        return { token, cookies: sessions.signIn() };
      },
      "somebody else's session token": async (server, sessions) => {
        const { token } = await openAs(server, sessions.signIn({ id: "u-bob" }));
        return { token, cookies: sessions.signIn() };
      },
      "no token": async (_server, sessions) => ({ token: "", cookies: sessions.signIn() }),
    };
  test.each(Object.entries(attempts))("%s is refused with 403, and the handler never runs", async (_what, attempt) => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const { token, cookies } = await attempt(server, sessions);
    const answers = [
      await post(server, `_csrf=${token}`, { Cookie: cookies }),
      await post(server, "", { Cookie: cookies, "X-CSRF-Token": token }),
    ];
    for (const answer of answers)
      expect([answer.status, Buffer.from(answer.body, "latin1").toString()]).toEqual([403, refusal]);
    expect(server.served).toEqual([]);
  });

  test("who is not signed in any more goes on with a token of their own", async () => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const session = sessions.signIn();
    sessions.signOut(session);
    const { token, cookies } = await openAs(server, session);
    expect((await post(server, `_csrf=${token}`, { Cookie: cookies })).status).toBe(200);
  });

  test("a page with maxAge has none for who is signed in either", async () => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const answer = await request(server.port, "/cached", { Cookie: sessions.signIn() });
    expect([answer.body, answer.headers.has("set-cookie")]).toEqual(["", false]);
  });

  test("a request of another site is refused before its token counts", async () => {
    const sessions = new TestSessions();
    await using server = await app({ sessions });
    const { token, cookies } = await openAs(server, sessions.signIn());
    const answer = await post(server, `_csrf=${token}`, { Cookie: cookies, "Sec-Fetch-Site": "cross-site" });
    expect([answer.status, server.served]).toEqual([403, []]);
  });
});

test("requests of the same site pass: by Sec-Fetch-Site, or by an Origin that is the Host's", async () => {
  await using server = await app();
  const { cookie, token } = await open(server);
  const allowedHeaders: Record<string, string>[] = [
    { "Sec-Fetch-Site": "same-origin" },
    { Origin: "http://x" },
    { Origin: "null" },
  ];
  for (const headers of allowedHeaders) {
    expect((await post(server, `_csrf=${token}`, { Cookie: cookie, ...headers })).status).toBe(200);
  }
});

test("a CSRF key that is too short is refused at start", async () => {
  await expect(app({ csrfKey: new Uint8Array(31) })).rejects.toThrow("at least 32 bytes");
});

test("a page that another service requests in this process has a token of the user's session, or none", async () => {
  const inner = (path: string, maxAge = 0): TestEndpoint => ({
    package: 1,
    maxAge,
    call: { encode: () => ({ path }), decode: (value) => value, exactIntegers: false },
    run: (ctx) => site.declaration.fragment(ctx, "token.html"),
  });
  const inners = pages({ "GET /token": inner("/token"), "GET /cached": inner("/cached", 60) });
  const outers = inners.map((each, i) => {
    const run = (ctx: Context): unknown => each.declaration.call(ctx, {} as never);
    return pages({ [`GET /anonymous/${i}`]: run, [`GET /user/${i}`]: { signIn: true, run } });
  });
  const save = pages({ "POST /save": { carries: "form", run: () => documentOf("saved") } });
  const bundle = bundleOf([...inners, ...outers.flat(), ...save], { site });
  const packages = [...bundle.packages, { name: "other", service: "other" }];
  const { platform, log } = await openAuthPlatform();
  const { id } = await accountsOf(platform, bothProviders).create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "email");
  const [Cookie = ""] = setSessionCookie(session?.id ?? "", false).split(";");
  await using server = await start({ ...bundle, packages, auth: bothProviders }, { platform });
  const { body } = await request(server.port, "/user/0", { Cookie });
  expect(body).toMatch(/^[\w-]{86}$/);
  expect((await post({ ...server, served: [] }, `_csrf=${body}`, { Cookie })).status).toBe(200);
  expect(await request(server.port, "/anonymous/0", {})).toMatchObject({ status: 200, body: "" });
  expect(await request(server.port, "/user/1", { Cookie })).toMatchObject({ status: 200, body: "" });
});
