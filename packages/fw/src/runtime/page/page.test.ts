import { describe, expect, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import { Errorf, NotFound } from "../../declare/errors.ts";
import { Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { apis, bundleOf, documentOf, fragmentOf, pages, siteOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";

const html = { Accept: "text/html" };
const htmx = { "HX-Request": "true" };
const fail = (error: Error) => () => {
  throw error;
};

describe("Page endpoint", () => {
  test("the result is an HTML document", async () => {
    await using app = await start(bundleOf(pages({ "GET /": () => documentOf("<p>é</p>") })));
    const answer = await request(app.port, "/");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(Buffer.from(answer.body, "latin1").toString()).toBe("<p>é</p>");
  });

  test("documents carry security headers: a report-only content-security-policy and nosniff", async () => {
    await using app = await start(bundleOf(pages({ "GET /": () => documentOf("") })));
    const { headers } = await request(app.port, "/");
    expect(headers.get("content-security-policy-report-only")).toContain("default-src 'self'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("fragments skip the document headers", async () => {
    await using app = await start(bundleOf(pages({ "GET /": () => fragmentOf("<li>") })));
    const { headers } = await request(app.port, "/");
    expect(headers.has("content-security-policy-report-only")).toBe(false);
    expect(headers.has("x-content-type-options")).toBe(false);
  });

  test("every page answers `Cache-Control: no-cache` unless MaxAge is set", async () => {
    const bundle = bundleOf(
      pages({ "GET /a": () => documentOf(""), "GET /b": () => fragmentOf(""), "GET /c": () => Redirect("/") }),
    );
    await using app = await start(bundle);
    for (const path of ["/a", "/b", "/c"])
      expect((await request(app.port, path)).headers.get("cache-control")).toBe("no-cache");
  });

  test("with MaxAge it answers `public, max-age=<seconds>`, apart for htmx", async () => {
    await using app = await start(bundleOf(pages({ "GET /": { maxAge: 600, run: () => documentOf("") } })));
    const { headers } = await request(app.port, "/");
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["public, max-age=600", "HX-Request"]);
  });

  test("every answer of a page says that it may differ for htmx, and by what its handler asked of it", async () => {
    const bundle = bundleOf(
      pages({
        "GET /a": () => documentOf(""),
        "GET /b": () => Redirect("/"),
        "GET /c": fail(Errorf(422, "no")),
        "GET /d": () => blob("x", { type: "text/plain" }),
        "GET /e": () => undefined,
        "GET /f": (ctx) => (ctx.isHTMX ? fragmentOf("") : documentOf("")),
        "GET /g": (ctx) => (ctx.wantsFragment ? fragmentOf("") : documentOf("")),
        "GET /h": { maxAge: 600, run: (ctx) => fragmentOf(ctx.htmx.target) },
      }),
    );
    await using app = await start(bundle);
    const bound = pages({ "GET /bound": { run: () => documentOf("x"), varies: "X-Region, Cookie", maxAge: 60 } });
    await using other = await start(bundleOf(bound));
    expect((await request(other.port, "/bound")).headers.get("vary")).toBe("HX-Request, X-Region, Cookie");
    const varyOf = async (path: string, headers = {}) => (await request(app.port, path, headers)).headers.get("vary");
    for (const path of ["/a", "/b", "/c", "/d", "/e", "/f", "/g"]) {
      expect([path, await varyOf(path)]).toEqual([path, "HX-Request"]);
    }
    const all = "HX-Request, HX-Boosted, HX-History-Restore-Request, HX-Target, HX-Trigger";
    expect([await varyOf("/f", htmx), await varyOf("/g", htmx), await varyOf("/h")]).toEqual(["HX-Request", all, all]);
  });

  test("MaxAge has no effect on a JSON route", async () => {
    await using app = await start(bundleOf(apis({ "GET /": { maxAge: 600, run: () => 1 } })));
    expect((await request(app.port, "/")).headers.has("cache-control")).toBe(false);
  });

  test("a failure of a page with MaxAge is not cached", async () => {
    await using app = await start(bundleOf(pages({ "GET /": { maxAge: 600, run: fail(NotFound()) } })));
    expect((await request(app.port, "/")).headers.get("cache-control")).toBe("no-cache");
  });

  test("documents can be decorated on their way out, fragments never", async () => {
    const bundle = bundleOf(
      pages({ "GET /a": { maxAge: 5, run: () => documentOf("a") }, "GET /b": () => fragmentOf("b") }),
    );
    const decorate = (text: string, page: { maxAge: number }) => `${text}+bar(${page.maxAge})`;
    await using app = await start(bundle, { decorate });
    expect((await request(app.port, "/a")).body).toBe("a+bar(5)");
    expect((await request(app.port, "/b")).body).toBe("b");
  });

  test("a page that returns something else is an opaque 500 whose log says what to return", async () => {
    await using app = await start(bundleOf(pages({ "GET /": () => "<p>text</p>" })));
    expect((await request(app.port, "/")).status).toBe(500);
    expect(String(app.logs[0]?.fields["error"])).toContain("GET / must return site.render(…)");
  });
});

describe("Redirect", () => {
  const bundle = bundleOf(
    pages({
      "POST /go": () => undefined,
      "GET /go": () => Redirect("/to?a=b"),
      "GET /moved": () => RedirectPermanent("/new"),
    }),
  );

  test("responds 303 See Other", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/go");
    expect([answer.status, answer.headers.get("location"), answer.body]).toEqual([303, "/to?a=b", ""]);
  });

  test("RedirectPermanent responds 301 Moved Permanently", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/moved");
    expect([answer.status, answer.headers.get("location")]).toEqual([301, "/new"]);
  });

  test("under HX-Request, both respond 200 with header HX-Redirect", async () => {
    await using app = await start(bundle);
    for (const [path, target] of [
      ["/go", "/to?a=b"],
      ["/moved", "/new"],
    ] as const) {
      const answer = await request(app.port, path, htmx);
      expect([answer.status, answer.headers.get("hx-redirect"), answer.headers.has("location")]).toEqual([
        200,
        target,
        false,
      ]);
    }
  });

  test("a target cannot add a header, and is escaped where a header cannot hold it", async () => {
    await using app = await start(bundleOf(pages({ "GET /": () => Redirect("/é b\r\nSet-Cookie: a=b\ud800") })));
    const answer = await request(app.port, "/");
    expect(answer.headers.get("location")).toBe("/%C3%A9%20b%0D%0ASet-Cookie:%20a=b%EF%BF%BD");
    expect(answer.headers.has("set-cookie")).toBe(false);
  });

  test.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", ""])(
    "to %j is a programming fault",
    async (target) => {
      await using app = await start(bundleOf(pages({ "GET /": () => Redirect(target) })));
      expect((await request(app.port, "/", htmx)).status).toBe(500);
    },
  );
});

describe("errors of a page", () => {
  test("Errorf renders as-is, as plain text that no browser takes for HTML", async () => {
    await using app = await start(bundleOf(pages({ "GET /": fail(Errorf(409, "<b>taken</b>")) })));
    const answer = await request(app.port, "/", html);
    expect(answer).toMatchObject({ status: 409, body: "<b>taken</b>" });
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a 500 is opaque and includes the request id", async () => {
    await using app = await start(bundleOf(pages({ "GET /": fail(new Error("secret")) })));
    const answer = await request(app.port, "/");
    expect(answer.body).toBe(`internal error (request ${answer.headers.get("x-request-id")})`);
  });
});

describe("SiteConfig.NotFound", () => {
  const templates = {
    "404.html": () => "<h1>Nothing here</h1>",
    "layout.html": (_data: unknown, page: { content: string }) => `<main>${page.content}</main>`,
  };
  const designed = siteOf({ notFound: "404.html", templates });
  const routes = [...pages({ "GET /gone": fail(NotFound()) }), ...apis({ "GET /api": fail(NotFound()) })];

  test("is rendered for a mistyped URL when the browser asks for HTML", async () => {
    await using app = await start(bundleOf(routes, { site: designed }));
    const answer = await request(app.port, "/nowhere", html);
    expect(answer).toMatchObject({ status: 404, body: "<main><h1>Nothing here</h1></main>" });
    expect(answer.headers.has("content-security-policy-report-only")).toBe(true);
  });

  test("is rendered for a page's NotFound", async () => {
    await using app = await start(bundleOf(routes, { site: designed }));
    expect(await request(app.port, "/gone")).toMatchObject({ status: 404, body: "<main><h1>Nothing here</h1></main>" });
  });

  test("is a document of its own on a site without a layout", async () => {
    const site = siteOf({ notFound: "404.html", templates: { "404.html": templates["404.html"] } });
    await using app = await start(bundleOf(routes, { site }), { decorate: (text) => `${text}+bar` });
    expect(await request(app.port, "/gone")).toMatchObject({ status: 404, body: "<h1>Nothing here</h1>+bar" });
  });

  test("is no answer for an API route or an API client", async () => {
    await using app = await start(bundleOf(routes, { site: designed }));
    for (const answer of [await request(app.port, "/api", html), await request(app.port, "/nowhere")]) {
      expect(answer).toMatchObject({ status: 404, body: '{"error":"not found"}' });
    }
  });

  test("leaves the plain text where its template fails, and the log says why", async () => {
    const site = siteOf({ notFound: "404.html", templates: { "404.html": fail(new Error("template")) } });
    await using app = await start(bundleOf(routes, { site }));
    expect(await request(app.port, "/gone")).toMatchObject({ status: 404, body: "not found" });
    expect(app.logs).toHaveLength(1);
  });
});

describe("a status page", () => {
  const routes: BundledEndpoint[] = [
    ...pages({
      "GET /teapot": fail(Errorf(418, "short and stout")),
      "GET /boom": fail(new Error("boom")),
      "GET /secret": { signIn: true },
      "GET /gone": fail(NotFound()),
      "POST /form": () => documentOf("done"),
    }),
    ...apis({ "GET /api": fail(Errorf(418, "short and stout")) }),
  ];
  const status = (_ctx: unknown, { code, policy }: { code: number; policy: string }) =>
    documentOf(`status ${code} ${JSON.stringify(policy)}`);

  test("receives Status and renders refusals with the framework's status", async () => {
    await using app = await start(bundleOf(routes, { status }));
    const bodies = [
      ["/teapot", 418],
      ["/boom", 500],
      ["/secret", 401],
      ["/gone", 404],
    ] as const;
    for (const [path, code] of bodies) {
      expect(await request(app.port, path)).toMatchObject({ status: code, body: `status ${code} ""` });
    }
  });

  test("renders the refusal of a stale CSRF token", async () => {
    await using app = await start(bundleOf(routes, { status }));
    expect(await request(app.port, "/form", {}, "POST")).toMatchObject({ status: 403, body: 'status 403 ""' });
  });

  test("renders a mistyped URL and a wrong method to a browser, and not to a program", async () => {
    await using app = await start(bundleOf(routes, { status }));
    const browser = { Accept: "text/html" };
    expect(await request(app.port, "/typo", browser)).toMatchObject({ status: 404, body: 'status 404 ""' });
    const wrong = await request(app.port, "/form", browser);
    expect(wrong).toMatchObject({ status: 405, body: 'status 405 ""' });
    expect(wrong.headers.get("allow")).toBe("OPTIONS, POST");
    expect((await request(app.port, "/typo")).body).toBe('{"error":"not found"}');
    expect((await request(app.port, "/form")).body).toBe('{"error":"method not allowed"}');
    expect((await request(app.port, "/api", browser, "PUT")).body).toBe("method not allowed");
  });

  test("leaves a 404 to the site's designed page", async () => {
    const site = siteOf({ notFound: "404.html", templates: { "404.html": () => "designed" } });
    await using app = await start(bundleOf(routes, { status, site }));
    expect(await request(app.port, "/gone")).toMatchObject({ status: 404, body: "designed" });
    const typo = await request(app.port, "/typo", { Accept: "text/html" });
    expect(typo).toMatchObject({ status: 404, body: "designed" });
  });

  test("is no answer for an API route, nor for htmx, which would put a document inside of another", async () => {
    await using app = await start(bundleOf(routes, { status }));
    expect((await request(app.port, "/api")).body).toBe('{"error":"short and stout"}');
    expect((await request(app.port, "/teapot", htmx)).body).toBe("short and stout");
  });

  test("that fails leaves the plain text, and the log says why", async () => {
    await using app = await start(bundleOf(routes, { status: fail(new Error("page")) }));
    expect(await request(app.port, "/teapot")).toMatchObject({ status: 418, body: "short and stout" });
    expect(app.logs).toHaveLength(1);
  });
});
