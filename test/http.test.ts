import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { isBuilt, mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// A bakery: its shop (an API, pages and a site), its kitchen (private, for the shop only), and its press, whose site is
// built, trusts its markdown and has a status page. The tests depend only on the sources below.
const bakery = String.raw`
-- shop/service.ts --
import { API, Service } from "fw";

export const web = Service({ domain: "bakery.example.com" });
export const whereabouts = API("GET /whereabouts", () => web.domain());

-- shop/loaves.ts --
import { API, blob, Errorf, isNotFound, NotFound } from "fw";
import type { Blob, Form, Int, Int64, Path, Query } from "fw";
import { oven, stock } from "../kitchen/stock.ts";

export interface Segments {
  text: Path;
  flag: Path<boolean>;
  whole: Path<Int>;
  long: Path<Int64>;
  real: Path<number>;
}
const typed = (value: object): string =>
  Object.entries(value).map(([name, each]) => name + "=" + typeof each + ":" + String(each)).join(" ");
export const segments = API("GET /segments/{text}/{flag}/{whole}/{long}/{real}", (_ctx, req: Segments) => typed(req));

export interface Parameters {
  text?: Query;
  list?: Query<string[]>;
  flag?: Query<boolean>;
  whole?: Query<Int>;
  long?: Query<Int64>;
  real?: Query<number>;
  other?: Query<string, "an-other">;
}
export const parameters = API("GET /parameters", (_ctx, req: Parameters) => typed(req));

export interface Fields {
  text: Form;
  list?: Form<string[]>;
  flag?: Form<boolean>;
  whole?: Form<Int>;
  long?: Form<Int64>;
  real?: Form<number>;
}
export const fields = API("POST /fields", (_ctx, req: Fields) => typed(req));

export interface Nothing {}
export const nothing = API("POST /nothing", (_ctx, req: Nothing) => ({ fields: Object.keys(req).length }));

export const note = API("POST /notes", (_ctx, req: { text?: string }) => req);

export interface Photo {
  title: Form;
  photo: Form<Blob>;
  small?: Form<Blob>;
}
export const photograph = API("POST /photographs", (_ctx, { title, photo, small }: Photo) => {
  return { title, type: photo.type, size: photo.size, name: photo.name, small: small !== undefined };
});
export const copy = API("POST /copies", (_ctx, { photo }: { photo: Form<Blob> }) => photo);

export interface Order {
  table: Path<Int>;
  rush?: Query<boolean>;
  loaf: string;
  count: Int;
  slices?: { thick: boolean; note: string | null }[];
}
export const order = API("PUT /tables/{table}/order", async (_ctx, req: Order) => {
  if (req.count > 99) throw Errorf(422, "we have no more than 99");
  return req;
});

export const best = API("GET /loaves/best", () => "the best");
export const loaf = API("GET /loaves/{name}", (_ctx, { name }: { name: Path }) => {
  if (name === "none") throw NotFound();
  if (name === "burnt") throw new Error("the oven's password is hunter2");
  return name;
});
export const doughOnly = API("DELETE /loaves/{name}", (_ctx, _req: { name: Path }): void => {});

export const label = API("GET /label", () => blob("<b>rye</b>", { type: "text/html", etag: "v1" }));
export const cachedLabel = API("GET /label/cached", () => blob("rye", { type: "text/plain" }), { maxAge: "1h" });
export const queue = API("GET /queue", () => {
  const stream = new Blob(["one", "two"]).stream() as ReadableStream<Uint8Array>;
  return blob(stream, { type: "text/plain" });
});
export const prices = API("GET /prices", () => ({ rye: 3 }), { maxAge: "1h" });

export const client = API("GET /client", (ctx) => ({ ...ctx.client, fields: Object.keys(ctx.client).length }));
export const account = API("GET /account", () => "mine", { signIn: true });
export const peek = API("GET /peek", (ctx) => account.call(ctx, {}));
export const shelf = API("GET /shelf", async (ctx) => ({ stock: await stock.call(ctx, {}) }));
export const hot = API("GET /hot", async (ctx) => {
  try {
    return await oven.call(ctx, {});
  } catch (error) {
    return { missing: isNotFound(error) };
  }
});

-- kitchen/stock.ts --
import { API, NotFound, Service } from "fw";

export const back = Service({ profile: "latency" });
export const stock = API("GET /kitchen/stock", () => 12, { private: true });
export const oven = API("GET /kitchen/oven", (): { heat: number } => { throw NotFound(); }, { private: true });
export const undeclared = API("GET /kitchen/domain", () => back.domain(), { private: true });
export const reserve = "none";

-- shop/pages.ts --
import { blob, Errorf, NotFound, Page, Redirect, RedirectPermanent, Site } from "fw";
import type { Blob, Form, Int, Path, Query } from "fw";

export const site = Site("./public", { redirects: { "/old": "/new", "/blog": "https://blog.example.com/" }, notFound: "404.html" });

export const home = Page("GET /", (ctx, req: { name?: Query }) => {
  const data = { title: "Bakery", name: req.name ?? "you" };
  return ctx.isHTMX ? site.fragment(ctx, "greeting.html", data) : site.render(ctx, "greeting.html", data);
});
export const form = Page("GET /form", (ctx) => site.fragment(ctx, "form.html"));
export const entry = Page("POST /form", (ctx, req: { title: Form; count?: Form<Int> }) =>
  site.fragment(ctx, "greeting.html", { name: req.title + req.count }),
);
export const attach = Page("POST /attach", (ctx, req: { title: Form; scan: Form<Blob> }) =>
  site.fragment(ctx, "greeting.html", { name: req.title + " " + req.scan.size }),
);
export const clear = Page("DELETE /form", () => Redirect("/form"));
export const cached = Page("GET /about", (ctx) => site.render(ctx, "form.html", { title: "About" }), { maxAge: "10m" });
export const diary = Page("GET /diary", (ctx, req: { text?: Query }) =>
  site.render(ctx, "diary.html", { text: req.text ?? "", html: site.markdown(ctx, req.text ?? "") }),
);
export const verse = Page("GET /verse", (ctx, req: { text?: Query }) => site.markdown(ctx, req.text ?? ""));
export const go = Page("GET /go", () => Redirect("/form"));
export const moved = Page("GET /moved", () => RedirectPermanent("/form"));
export const download = Page("GET /menu", () => blob("menu", { type: "text/plain" }));
export const locked = Page("GET /till", (ctx) => site.render(ctx, "greeting.html"), { signIn: true });
export const failing = Page("GET /fail/{how}", (ctx, { how }: { how: Path }) => {
  if (how === "miss") throw NotFound();
  if (how === "crash") throw new Error("the till's password is hunter2");
  if (how === "template") return site.render(ctx, "greting.html");
  throw Errorf(409, "the <b>last</b> one is gone");
});

-- shop/public/templates/layout.html --
<!doctype html><html><head><title>{{title}}</title></head><body><main>{{content}}</main></body></html>
-- shop/public/templates/greeting.html --
<p>Hello {{name}}</p>
-- shop/public/templates/form.html --
<form method="post">{{csrf}}</form><meta name="token" content="{{csrfToken}}">
-- shop/public/templates/diary.html --
<article>{{markdown text}}</article><aside>{{html}}</aside>
-- shop/public/templates/404.html --
<h1>Sold out</h1>
-- shop/public/app.3f2a91bc.css --
body { color: brown }
-- shop/public/robots.txt --
User-agent: *

-- press/press.ts --
import { Errorf, NotFound, Page, Site, StatusPage } from "fw";
import type { Form, Path, Query } from "fw";

export const site = Site("./out", { build: { command: "node build.mjs", out: "./out" }, trustedHTML: true });
export const status = StatusPage((ctx, refusal) => site.fragment(ctx, "status.html", refusal));
export const article = Page("GET /press/article", (ctx, req: { text?: Query }) => site.fragment(ctx, "article.html", req));
export const framed = Page("GET /press/framed", (ctx) => site.render(ctx, "article.html"));
export const submit = Page("POST /press/article", (ctx, _req: { text: Form }) => site.fragment(ctx, "article.html"));
export const locked = Page("GET /press/locked", (ctx) => site.fragment(ctx, "article.html"), { signIn: true });
export const failing = Page("GET /press/fail/{how}", (_ctx, { how }: { how: Path }) => {
  if (how === "crash") throw new Error("hunter2");
  throw how === "miss" ? NotFound() : Errorf(418, "short and stout");
});
-- press/build.mjs --
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("out/templates", { recursive: true });
writeFileSync("out/built.txt", "built");
writeFileSync("out/templates/article.html", "<article>{{markdown text}}</article>");
writeFileSync("out/templates/status.html", "<h1>{{code}}</h1><p>policy({{policy}})</p>");
`;

/** Removes mistakes that `fw dev` tolerates while it serves. */
function withoutMistakes(sources: string): string {
  return sources.replace("greting.html", "greeting.html").replace(/^export const framed = .*\n/m, "");
}

describe.each(mostTopologies)("%s", (...topology) => {
  const isDeployed = isBuilt(topology);
  const isOnCloud = topology[0] === "on the cloud";
  let dev: Running;
  beforeAll(async () => {
    dev = await startFiles(topology, Object.fromEntries(filesOf(isDeployed ? withoutMistakes(bakery) : bakery)));
  });
  afterAll(() => dev?.[Symbol.asyncDispose]());

  interface Answer {
    readonly status: number;
    readonly text: string;
    readonly headers: Headers;
  }

  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`http://localhost:${dev.port}${path}`, { redirect: "manual", ...init });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  const json = async (path: string, init: RequestInit = {}): Promise<[number, unknown]> => {
    const { status, text } = await ask(path, init);
    return [status, JSON.parse(text)];
  };

  const send = (method: string, body: unknown): RequestInit => ({
    method,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

  const form = (fields: string | Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
    method: "POST",
    body: new URLSearchParams(fields),
    headers,
  });

  const htmx = { "hx-request": "true" };
  const browser = { accept: "text/html,*/*" };

  /** Opens the form and returns the browser's cookies. */
  async function openForm(): Promise<{ readonly cookie: string; readonly token: string; readonly page: Answer }> {
    const page = await ask("/form");
    const [cookie = ""] = (page.headers.get("set-cookie") ?? "").split(";");
    return { cookie, token: /content="([\w-]+)"/.exec(page.text)?.[1] ?? "", page };
  }

  describe("Request binding", () => {
    test("a path field takes string, boolean, Int, Int64 or number", async () => {
      expect(await json("/segments/a%2Fb/true/7/9223372036854775807/-1.5")).toEqual([
        200,
        "text=string:a/b flag=boolean:true whole=number:7 long=bigint:9223372036854775807 real=number:-1.5",
      ]);
    });

    test("a query field takes string, string[], boolean, Int, Int64 or number", async () => {
      const query = "text=a+b&list=x&list=y&flag=1&whole=-7&long=-9223372036854775808&real=1e3&an-other=z";
      expect(await json(`/parameters?${query}`)).toEqual([
        200,
        "text=string:a b list=object:x,y flag=boolean:true whole=number:-7 long=bigint:-9223372036854775808 real=number:1000 other=string:z",
      ]);
    });

    test("a form field takes the same", async () => {
      const body = "text=a+b&list=x&list=y&flag=on&whole=-7&long=9&real=.5";
      expect(await json("/fields", form(body))).toEqual([
        200,
        "text=string:a b list=object:x,y flag=boolean:true whole=number:-7 long=bigint:9 real=number:0.5",
      ]);
    });

    test("a string[] field receives every value of a repeated parameter and is absent when the parameter is", async () => {
      expect(await json("/parameters?list=x&list=&list=x")).toEqual([200, "list=object:x,,x"]);
      expect(await json("/parameters")).toEqual([200, ""]);
    });

    test("an untagged field is read from the JSON body, beside tagged ones", async () => {
      const body = { loaf: "rye", count: 2, slices: [{ thick: true, note: null }], unknown: 1 };
      const { unknown: _, ...declared } = body;
      expect(await json("/tables/4/order?rush=true", send("PUT", body))).toEqual([
        200,
        { table: 4, rush: true, ...declared },
      ]);
    });

    test("a request without a body has none of its fields", async () => {
      expect(await json("/notes", { method: "POST" })).toEqual([200, {}]);
      expect(await json("/tables/4/order", { method: "PUT" })).toEqual([400, { error: "body: is required" }]);
      expect(await json("/fields", { method: "POST" })).toEqual([400, { error: "form text: is required" }]);
      expect(await json("/photographs", { method: "POST" })).toMatchObject([400, { error: "form title: is required" }]);
    });

    test("an empty request type is allowed", async () => {
      expect(await json("/nothing", send("POST", { any: 1 }))).toEqual([200, { fields: 0 }]);
    });

    test("a request with a Blob field is multipart", async () => {
      const body = new FormData();
      body.set("title", "rye");
      body.set("photo", new File(["bytes"], "rye.png", { type: "image/png" }));
      const answer = { title: "rye", type: "image/png", size: 5, name: "rye.png", small: false };
      expect(await json("/photographs", { method: "POST", body })).toEqual([200, answer]);
      expect((await ask("/photographs", form("title=rye&photo=x"))).status).toBe(415);
    });
  });

  describe("Blob responses", () => {
    test("a Blob is streamed with its own content type and is not JSON-encoded", async () => {
      const { text, headers } = await ask("/label");
      expect([text, headers.get("content-type")]).toEqual(["<b>rye</b>", "text/html"]);
      expect([headers.get("content-length"), headers.get("etag")]).toEqual(["10", '"v1"']);
      expect([headers.get("x-content-type-options"), headers.get("cache-control")]).toEqual(["nosniff", "no-cache"]);
    });

    test("a Blob of unknown size goes without Content-Length, and without an ETag unless it carries one", async () => {
      const { status, text, headers } = await ask("/queue", { headers: { "if-none-match": "*" } });
      expect([status, text]).toEqual([200, "onetwo"]);
      expect([headers.get("content-length"), headers.get("etag")]).toEqual([null, null]);
    });

    test("a matching If-None-Match is answered 304 without a body", async () => {
      expect(await ask("/label", { headers: { "if-none-match": '"v1"' } })).toMatchObject({ status: 304, text: "" });
      expect((await ask("/label", { headers: { "if-none-match": '"v2"' } })).status).toBe(200);
    });

    test("maxAge is effective on blob responses and has no effect on JSON", async () => {
      expect((await ask("/label/cached")).headers.get("cache-control")).toBe("public, max-age=3600");
      expect((await ask("/prices")).headers.get("cache-control")).toBeNull();
    });

    test("an upload larger than the memory for it comes back as it was sent", async () => {
      const body = new FormData();
      body.set("photo", new File([new Uint8Array(33 * 1024 * 1024).fill(7)], "large", { type: "application/x-rye" }));
      const response = await fetch(`http://localhost:${dev.port}/copies`, { method: "POST", body });
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect([response.headers.get("content-type"), bytes.byteLength]).toEqual(["application/x-rye", 33 * 1024 * 1024]);
      expect(bytes.every((byte) => byte === 7)).toBe(true);
    });

    test("a Page may answer with a Blob", async () => {
      const { text, headers } = await ask("/menu");
      expect([text, headers.get("content-type")]).toEqual(["menu", "text/plain"]);
    });
  });

  describe("API endpoint", () => {
    test("a literal segment beats a wildcard", async () => {
      expect(await json("/loaves/best")).toEqual([200, "the best"]);
      expect(await json("/loaves/rye")).toEqual([200, "rye"]);
    });

    test("a result is JSON-encoded", async () => {
      expect((await ask("/prices")).headers.get("content-type")).toBe("application/json");
      expect(await json("/prices")).toEqual([200, { rye: 3 }]);
    });

    test("a handler that returns nothing answers 204", async () => {
      expect(await ask("/loaves/rye", { method: "DELETE" })).toMatchObject({ status: 204, text: "" });
    });

    test("Errorf answers its status with a JSON object that holds the message", async () => {
      const answer = await json("/tables/4/order", send("PUT", { loaf: "rye", count: 100 }));
      expect(answer).toEqual([422, { error: "we have no more than 99" }]);
    });

    test("NotFound answers 404 `not found` as a JSON error", async () => {
      expect(await json("/loaves/none", { headers: browser })).toEqual([404, { error: "not found" }]);
    });

    test("any other error is an opaque 500, and the real one is in the log under the request's id", async () => {
      const { status, text, headers } = await ask("/loaves/burnt");
      expect([status, text]).toEqual([500, '{"error":"internal error"}']);
      const id = headers.get("x-request-id");
      await dev.says(isOnCloud || !isDeployed ? `req=${id}` : `"req":"${id}"`);
      await dev.says("the oven's password is hunter2");
    });

    test("a wrong method is 405 with Allow, HEAD is GET without a body", async () => {
      const wrong = await ask("/loaves/rye", { method: "POST" });
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, OPTIONS"]);
      expect(await ask("/loaves/rye", { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    });

    test("the client's address and user agent are on ctx, and nothing guessed from them; locally the address is the socket's", async () => {
      const headers = { "user-agent": "Oven/1", "x-forwarded-for": "9.9.9.9" };
      const [, client] = (await json("/client", { headers })) as [number, { ip: string }];
      expect(client).toEqual({ ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/), userAgent: "Oven/1", fields: 2 });
    });

    test("a private route answers 403 to a browser and is reached by other services", async () => {
      const { status, text } = await ask("/kitchen/stock");
      expect(status).toBe(403);
      // On the cloud, the platform responds.
      if (!isOnCloud) expect(text).toBe('{"error":"this route is private"}');
      expect(await json("/shelf")).toEqual([200, { stock: 12 }]);
    });

    test("isNotFound recognises what another service answered", async () => {
      expect(await json("/hot")).toEqual([200, { missing: true }]);
    });

    test("domain() reads back the declared name, not localhost", async () => {
      expect(await json("/whereabouts")).toEqual([200, "bakery.example.com"]);
    });

    test("a signIn route answers 401 `sign in to continue` when anonymous, also through call", async () => {
      expect(await json("/account")).toEqual([401, { error: "sign in to continue" }]);
      expect(await json("/peek")).toEqual([401, { error: "sign in to continue" }]);
      expect(await ask("/till")).toMatchObject({ status: 401, text: "sign in to continue" });
    });

    test("`/_fw/` is the framework's, and `/_fw/z/` serves nothing", async () => {
      for (const path of ["/_fw/", "/_fw/z/", "/_fw/z/health", "/_fw/api/session"]) {
        expect(await json(path)).toEqual([404, { error: "not found" }]);
      }
    });
  });

  describe("Page endpoint", () => {
    test("site.render fills the layout's content block", async () => {
      const { status, text, headers } = await ask("/?name=<you>");
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toContain("<title>Bakery</title>");
      expect(text).toContain("<main><p>Hello &lt;you&gt;</p>");
    });

    test("ctx.isHTMX is true when the request carries HX-Request: true, and site.fragment renders a template alone", async () => {
      const { text } = await ask("/", { headers: htmx });
      expect(text.trim()).toBe("<p>Hello you</p>");
      expect((await ask("/", { headers: { "hx-request": "false" } })).text).toContain("<main>");
    });

    test("documents carry a report-only content security policy and nosniff, fragments do not", async () => {
      const names = ["content-security-policy-report-only", "x-content-type-options"];
      const of = ({ headers }: Answer) => names.map((name) => headers.has(name));
      expect(of(await ask("/"))).toEqual([true, true]);
      expect(of(await ask("/", { headers: htmx }))).toEqual([false, false]);
    });

    test("`{{markdown text}}` and site.markdown render and then sanitise, and script payloads vanish", async () => {
      const text = "**bold** <script>alert(1)</script> [x](javascript:alert(2)) <img src=x onerror=alert(3)>";
      const { text: page } = await ask(`/diary?text=${encodeURIComponent(text)}`);
      const main = page.slice(page.indexOf("<main>"), page.indexOf("</main>"));
      expect(main.match(/<strong>bold<\/strong>/g)).toHaveLength(2);
      expect(main).not.toMatch(/<script|onerror|href="javascript:/);
      const verse = await ask(`/verse?text=${encodeURIComponent(text)}`);
      expect(verse.text).toContain("<strong>bold</strong>");
      expect(verse.text).not.toMatch(/<script|onerror|href="javascript:/);
    });

    test("Redirect answers 303 See Other, RedirectPermanent 301 Moved Permanently", async () => {
      const see = await ask("/go");
      const moved = await ask("/moved");
      expect([see.status, see.headers.get("location")]).toEqual([303, "/form"]);
      expect([moved.status, moved.headers.get("location")]).toEqual([301, "/form"]);
    });

    test("under HX-Request both redirects answer 200 with HX-Redirect", async () => {
      for (const path of ["/go", "/moved"]) {
        const { status, headers } = await ask(path, { headers: htmx });
        expect([status, headers.get("hx-redirect"), headers.get("location")]).toEqual([200, "/form", null]);
      }
    });

    test("a page answers Cache-Control: no-cache unless maxAge is set", async () => {
      for (const path of ["/", "/go", "/menu", "/till", "/fail/miss", "/fail/crash"]) {
        expect((await ask(path)).headers.get("cache-control"), path).toBe("no-cache");
      }
    });

    test("a page with maxAge answers public, max-age=<seconds>, sets no cookie, and its `{{csrf}}` is empty", async () => {
      const { text, headers } = await ask("/about");
      expect([headers.get("cache-control"), headers.get("set-cookie")]).toEqual(["public, max-age=600", null]);
      expect(text).toContain(`<form method="post"></form><meta name="token" content="">`);
    });

    test("`{{csrf}}` is a hidden input named _csrf and `{{csrfToken}}` its token", async () => {
      const { token, page } = await openForm();
      expect(page.text).toContain(`<input type="hidden" name="_csrf" value="${token}">`);
      expect(token).toMatch(/^[\w-]{86}$/);
    });

    test("an unsafe page route takes a token in the field _csrf or in the header X-CSRF-Token", async () => {
      const { cookie, token } = await openForm();
      const field = await ask("/form", form({ title: "rye", count: "2", _csrf: token }, { cookie }));
      expect([field.status, field.text.trim()]).toEqual([200, "<p>Hello rye2</p>"]);
      expect((await ask("/form", form({ title: "rye" }, { cookie, "x-csrf-token": token }))).status).toBe(200);
      expect((await ask("/form", { method: "DELETE", headers: { cookie, "x-csrf-token": token } })).status).toBe(303);
    });

    test("a page may receive a file, and takes the token in the same form", async () => {
      const { cookie, token } = await openForm();
      const body = (formToken: string): FormData => {
        const fields = new FormData();
        fields.set("title", "menu");
        fields.set("scan", new File(["12345"], "menu.png"));
        fields.set("_csrf", formToken);
        return fields;
      };
      const answer = await ask("/attach", { method: "POST", headers: { cookie }, body: body(token) });
      expect([answer.status, answer.text.trim()]).toEqual([200, "<p>Hello menu 5</p>"]);
      expect((await ask("/attach", { method: "POST", headers: { cookie }, body: body("forged") })).status).toBe(403);
    });

    test("a page form without its token is 403 `CSRF token missing or invalid — forms need {{ csrf }}`", async () => {
      const { cookie, token } = await openForm();
      const stranger = await openForm();
      const attempts: RequestInit[] = [
        { method: "POST" },
        form({ title: "a" }, { cookie }),
        form({ title: "a", _csrf: token }),
        form({ title: "a", _csrf: stranger.token }, { cookie }),
        { method: "DELETE", headers: { cookie } },
      ];
      for (const attempt of attempts) {
        const { status, text } = await ask("/form", attempt);
        expect([status, text]).toEqual([403, "CSRF token missing or invalid — forms need {{ csrf }}"]);
      }
    });

    test("an anonymous browser's token is bound to a cookie that scripts cannot read", async () => {
      const { page } = await openForm();
      expect(page.headers.get("set-cookie")).toMatch(
        isOnCloud
          ? /^__Host-fw_csrf=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/
          : /^fw_csrf=\S+; Path=\/; HttpOnly; SameSite=Lax$/,
      );
    });

    test("a 404 is rendered as the designed page: for a page's NotFound and for a mistyped URL", async () => {
      for (const path of ["/fail/miss", "/nowhere"]) {
        const { status, text } = await ask(path, { headers: browser });
        expect(status).toBe(404);
        expect(text).toContain("<main><h1>Sold out</h1>");
      }
      expect(await json("/nowhere")).toEqual([404, { error: "not found" }]);
    });

    test("every other status renders as plain text, Errorf's message as it is", async () => {
      const { status, text, headers } = await ask("/fail/gone", { headers: browser });
      expect([status, text]).toEqual([409, "the <b>last</b> one is gone"]);
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    });

    test("pages show the request id with a 500 and the real error is only in the log", async () => {
      const { status, text, headers } = await ask("/fail/crash");
      expect([status, text]).toEqual([500, `internal error (request ${headers.get("x-request-id")})`]);
      await dev.says("the till's password is hunter2");
    });

    // A build refuses both mistakes.
    if (!isDeployed) {
      test("a missing template is refused with its name and the templates directory", async () => {
        expect((await ask("/fail/template")).status).toBe(500);
        await dev.says("no template greting.html in ./public/templates/; did you mean greeting.html?");
      });

      test("a site without layout.html refuses to render and serves fragments", async () => {
        expect((await ask("/press/framed")).status).toBe(500);
        await dev.says("./out/templates/ has no layout.html: create it, or use site.fragment");
        expect((await ask("/press/article?text=hi")).text).toContain("<p>hi</p>");
      });
    }

    test("trustedHTML leaves markdown unsanitised", async () => {
      const { text } = await ask(`/press/article?text=${encodeURIComponent("<button onclick=play()>x</button>")}`);
      expect(text).toContain("<button onclick=play()>x</button>");
    });

    test("a status page receives the status code and the empty name of no policy, and renders with the framework's status", async () => {
      const refusals = [
        ["/press/fail/teapot", 418],
        ["/press/fail/crash", 500],
        ["/press/fail/miss", 404],
        ["/press/locked", 401],
      ] as const;
      for (const [path, code] of refusals) {
        expect(await ask(path)).toMatchObject({ status: code, text: `<h1>${code}</h1><p>policy()</p>` });
      }
      expect(await ask("/press/article", form({ text: "a" }))).toMatchObject({
        status: 403,
        text: "<h1>403</h1><p>policy()</p>",
      });
    });
  });

  describe("Site", () => {
    test("a file with a fingerprint in its name is public, immutable and kept for a year", async () => {
      const { text, headers } = await ask("/app.3f2a91bc.css");
      expect(text).toContain("brown");
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    });

    test("every other file is no-cache with a strong ETag", async () => {
      const { headers } = await ask("/robots.txt");
      const etag = headers.get("etag") ?? "";
      expect([headers.get("cache-control"), /^"[^"]+"$/.test(etag)]).toEqual(["no-cache", true]);
      expect((await ask("/robots.txt", { headers: { "if-none-match": etag } })).status).toBe(304);
    });

    test("files below templates/ are never served", async () => {
      for (const path of [
        "/templates/layout.html",
        "/templates/",
        "/Templates/layout.html",
        "/templates%2Flayout.html",
      ]) {
        expect((await ask(path)).status, path).toBe(404);
      }
    });

    test("redirects answer 301", async () => {
      for (const [path, target] of [
        ["/old", "/new"],
        ["/blog", "https://blog.example.com/"],
      ] as const) {
        const { status, headers } = await ask(path);
        expect([status, headers.get("location")]).toEqual([301, target]);
      }
    });

    test("build makes the directory that is served", async () => {
      expect(await ask("/built.txt")).toMatchObject({ status: 200, text: "built" });
    });
  });

  describe("Wire errors: 400", () => {
    const order = { loaf: "rye", count: 1 };
    test.each([
      ["body: invalid JSON", "/tables/1/order", send("PUT", "{")],
      ["body count: is required", "/tables/1/order", send("PUT", { loaf: "rye" })],
      ['body count: "1" is not an int', "/tables/1/order", send("PUT", { ...order, count: "1" })],
      [
        "body slices[1].thick: 1 is not a boolean",
        "/tables/1/order",
        send("PUT", {
          ...order,
          slices: [
            { thick: true, note: null },
            { thick: 1, note: "" },
          ],
        }),
      ],
      ["body: [] is not an object", "/tables/1/order", send("PUT", [])],
      ["path table: one is not an int", "/tables/one/order", send("PUT", order)],
      ["query rush: maybe is not a boolean", "/tables/1/order?rush=maybe", send("PUT", order)],
      ["query whole: 1.5 is not an int", "/parameters?whole=1.5", {}],
      ["query long: 9223372036854775808 is not an int64", "/parameters?long=9223372036854775808", {}],
      ["query real: x is not a number", "/parameters?real=x", {}],
      ["query text: is not valid percent-encoding", "/parameters?text=%zz", {}],
      ["form text: is required", "/fields", form("list=a")],
      ["form whole: x is not an int", "/fields", form("text=a&whole=x")],
    ] as const)("%s", async (error, path, init) => {
      expect(await json(path, init)).toEqual([400, { error }]);
    });

    test("on a page as text", async () => {
      const { cookie, token } = await openForm();
      expect(await ask("/form", form({ _csrf: token }, { cookie }))).toMatchObject({
        status: 400,
        text: "form title: is required",
      });
      const wrong = await ask("/form", form({ _csrf: token, title: "a", count: "x" }, { cookie }));
      expect(wrong).toMatchObject({ status: 400, text: "form count: x is not an int" });
    });
  });
});
