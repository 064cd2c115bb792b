import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Bundle, CompiledTemplate } from "../../runtime/bundle.ts";
import type { Decorate } from "../../runtime/hooks.ts";
import { bundleOf, documentOf, fragmentOf, pages, siteOf, start, type TestApp } from "../../runtime/testing/app.ts";
import { request } from "../../runtime/testing/server.ts";
import { TestSessions } from "../../runtime/testing/sessions.ts";
import { barEndpoints, devBar } from "./bar.ts";

interface BarApp extends TestApp {
  readonly sessions: TestSessions;
}

type Options = Partial<Parameters<typeof devBar>[1]> & {
  readonly bundled?: Partial<Bundle>;
  readonly decorate?: Decorate;
};

async function app({ signsIn = true, firing = [], bundled = {}, decorate }: Options = {}): Promise<BarApp> {
  const dir = await mkdtemp(join(tmpdir(), "fw-bar-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "about.html"), "<p>about</p>");
  await writeFile(join(dir, "about.0123abcd.html"), "<p>about</p>");
  const templates = {
    "404.html": () => "<p>lost</p>",
    "layout.html": (_data, page) => page.content,
    "token.html": (_data, page) => page.csrfToken(),
  } satisfies Record<string, CompiledTemplate>;
  const { assets: _, ...site } = siteOf({ dir, notFound: "404.html", templates });
  const bundle = bundleOf(
    pages({
      "GET /": () => documentOf("<p>home</p>"),
      "GET /token": (ctx) => site.declaration.fragment(ctx, "token.html"),
      "POST /save": () => documentOf("<p>saved</p>"),
      "GET /part": () => fragmentOf("<p>part</p>"),
      "GET /cached": { maxAge: 60, run: () => documentOf("<p>cached</p>") },
    }),
    { site },
  );
  Object.assign(bundle, bundled);
  const sessions = new TestSessions();
  const server = await start(bundle, {
    sessions,
    decorate: decorate ?? ((html, page) => html + devBar(page, { signsIn, firing })),
    injected: barEndpoints,
  });
  return { ...server, sessions };
}

const bar = (html: string): string => /<fw-dev-bar id="fw-dev-bar">[^]*<\/fw-dev-bar>/.exec(html)?.[0] ?? "";
const buttons = (html: string): string[] => [...html.matchAll(/<button[^>]*>([^<]*)/g)].map(([, label = ""]) => label);

describe("the dev bar reflects the session", () => {
  test("signed out it offers sign-in as alice or bob", async () => {
    await using server = await app();
    const shown = bar((await request(server.port, "/")).body);
    expect(shown).toContain("Not signed in");
    expect(buttons(shown)).toEqual(["Sign in as alice", "Sign in as bob"]);
  });

  test("signed in as alice it offers switching to bob and sign-out", async () => {
    await using server = await app();
    const Cookie = server.sessions.signIn({ id: "alice", email: "alice@example.com", roles: ["admin", "editor"] });
    const shown = bar((await request(server.port, "/", { Cookie })).body);
    expect(shown).toContain("alice <span>(admin, editor)</span>");
    expect(buttons(shown)).toEqual(["Sign out", "Switch to bob"]);
  });

  test("signed in as somebody else it offers both test users", async () => {
    await using server = await app();
    const Cookie = server.sessions.signIn({ email: `"<i>@example.com` });
    const shown = bar((await request(server.port, "/", { Cookie })).body);
    expect(shown).toContain("&quot;&lt;i&gt;@example.com <span>(no roles)</span>");
    expect(buttons(shown)).toEqual(["Sign out", "Switch to alice", "Switch to bob"]);
  });

  test("a test user keeps its roles, and the page stays", async () => {
    await using server = await app();
    const shown = bar((await request(server.port, `/?a="b"&c`)).body);
    expect(shown).toContain(`name="keep_roles" value="1"`);
    expect(shown).toContain(`name="next" value="/?a=&quot;b&quot;&amp;c"`);
    expect(shown).toContain(`href="/_fw/signin?next=%2F%3Fa%3D%22b%22%26c"`);
  });

  test("what answers a form leads back to the start", async () => {
    await using server = await app();
    const opened = await fetch(`${server.url}/token`);
    const headers = { "X-CSRF-Token": await opened.text(), Cookie: opened.headers.getSetCookie()[0] ?? "" };
    const answer = await fetch(`${server.url}/save?a=b`, { method: "POST", headers });
    expect(bar(await answer.text())).toContain(`name="next" value="/"`);
  });
});

describe("the dev bar is in documents only", () => {
  test.each(["/part", "/cached", "/about.0123abcd.html"])("not in %s", async (path) => {
    await using server = await app();
    const { status, body } = await request(server.port, path);
    expect([status, bar(body)]).toEqual([200, ""]);
  });

  test("a static document has it, and its validator follows the session", async () => {
    await using server = await app();
    const Cookie = server.sessions.signIn();
    const [anonymous, mine] = [
      await request(server.port, "/about.html"),
      await request(server.port, "/about.html", { Cookie }),
    ];
    expect(bar(anonymous.body)).toContain("Not signed in");
    expect(bar(mine.body)).toContain("ann@example.com");
    expect(anonymous.headers.get("etag")).not.toBe(mine.headers.get("etag"));
  });

  test("the designed 404 has it", async () => {
    await using server = await app();
    const Cookie = server.sessions.signIn();
    const { status, body } = await request(server.port, "/missing", { Cookie, Accept: "text/html" });
    expect([status, bar(body)]).toEqual([404, expect.stringContaining("ann@example.com")]);
  });
});

describe("the dev bar fails no request", () => {
  const paths = ["/", "/about.html", "/missing"];
  const statuses = [200, 200, 404];

  test("where the service has no code of the authenticators", async () => {
    const unasked = { auth: { password: true }, authenticators: [{ declaration: undefined, credentials: [] }] };
    await using server = await app({ bundled: unasked as never });
    const answers = await Promise.all(paths.map((path) => request(server.port, path, { Accept: "text/html" })));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.map(({ body }) => bar(body))).toEqual(paths.map(() => expect.stringContaining("Not signed in")));
  });

  test("where it throws: the document is sent as it is, and the log says so", async () => {
    const decorate = (): never => {
      throw new Error("no bar today");
    };
    await using server = await app({ decorate });
    const answers = await Promise.all(paths.map((path) => request(server.port, path, { Accept: "text/html" })));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, "<p>home</p>"],
      [200, "<p>about</p>"],
      [404, "<p>lost</p>"],
    ]);
    expect(server.logs.map(({ level, message }) => [level, message])).toEqual(
      paths.map(() => ["warn", "sent the document without the dev bar"]),
    );
  });

  test("where nobody can say who visits", async () => {
    await using server = await app();
    server.sessions.find = () => Promise.reject(new Error("the store is away"));
    const { status, body } = await request(server.port, "/about.html", { Cookie: server.sessions.signIn() });
    expect([status, body]).toEqual([200, expect.stringContaining("<p>about</p>")]);
  });
});

describe("the dev bar shows the alerts that fire", () => {
  test("beside who is signed in", async () => {
    await using server = await app({ firing: ["order-errors", "no-orders"] });
    const summary = bar((await request(server.port, "/")).body);
    expect(summary).toContain("Not signed in");
    expect([...summary.matchAll(/<p role="status">([^<]*)/g)].map(([, text]) => text)).toEqual([
      "Alert order-errors is firing",
      "Alert no-orders is firing",
    ]);
  });

  test("where nobody can sign in", async () => {
    await using server = await app({ signsIn: false, firing: ["order-errors"] });
    const shown = bar((await request(server.port, "/")).body);
    expect(shown).toContain("<strong>1 alert</strong>");
    expect([shown.includes("Alert order-errors is firing"), buttons(shown)]).toEqual([true, []]);
  });
});

test("without sign-in and alerts the bar shows status, duration, queries, errors and a link to the request", async () => {
  const count = (): { queries: number; errors: number } => ({ queries: 3, errors: 1 });
  const decorate: Decorate = (html, page) => html + devBar(page, { signsIn: false, firing: [] }, count);
  await using server = await app({ decorate });
  const answer = await request(server.port, "/");
  const markup = bar(answer.body);
  expect(markup).toMatch(/<summary>200 in (?:under 1|\d+) ms, 3 queries, <strong>1 error<\/strong><\/summary>/);
  expect(markup).toContain(`href="/_fw/console#requests?request=${answer.headers.get("x-request-id")}"`);
  expect(bar((await request(server.port, "/missing", { Accept: "text/html" })).body)).toContain("<strong>404</strong>");
  // The bar of a static file leaves out what differs between responses, so that the ETag stays the same.
  const file = bar((await request(server.port, "/about.html")).body);
  expect([file.includes(" ms"), file.includes('href="/_fw/console#requests"')]).toEqual([false, true]);
});

test("the bar's style and script are files of the same origin, which a browser may keep", async () => {
  await using server = await app();
  const summary = bar((await request(server.port, "/")).body);
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)">/.exec(summary) ?? [];
  const style = await request(server.port, path);
  expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(style.headers.get("cache-control")).toContain("immutable");
  const [, scriptPath = ""] = /<script type="module" src="([^"]+)"><\/script>/.exec(summary) ?? [];
  const script = await request(server.port, scriptPath);
  expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  expect(summary).not.toMatch(/<style|style=|<script>|!important/);
});
