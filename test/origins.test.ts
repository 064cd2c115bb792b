import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

// APIs in three packages: one permits a few origins with cookies, one all origins, and one none.
const library = (origin: string): string => `
-- books/books.ts --
import { API, Auth, Errorf, Page, Service, reply, Site, type Header, type Path } from "fw";
export const auth = Auth({ password: true, social: true, tokens: true });
export const web = Service({ origins: ["https://app.example.com", "${origin}"], credentials: true });
export const site = Site("./web");
export const list = API("GET /books/{id}", (_ctx, { id, by }: { id: Path; by?: Header<string, "X-By"> }) => {
  if (id === "none") throw Errorf(422, "there is none");
  return reply({ id, by: by ?? "nobody" }, { headers: { "X-Shelf": "7" } });
});
export const mine = API("GET /mine", (ctx) => ctx.user().name, { signIn: true });
export const add = API("POST /books", (ctx, { title }: { title: string }) => ({ title, by: ctx.maybeUser()?.name ?? "" }));
export const program = API("POST /programs", (ctx) => auth.tokens.create(ctx, ctx.user(), { name: "app", expires: "1d" }), { signIn: true });
export const page = Page("GET /page", (ctx) => site.fragment(ctx, "a.html"));
-- books/web/templates/a.html --
<p>a</p>
-- open/open.ts --
import { API, Service } from "fw";
export const web = Service({ origins: "*" });
export const time = API("GET /time", () => ({ now: 1 }));
export const put = API("PUT /books", () => "put");
-- shut/shut.ts --
import { API } from "fw";
export const shut = API("GET /shut", () => "shut");
`;

/** The options of a page's fetch. */
interface Init {
  readonly method?: string;
  readonly credentials?: "include" | "omit";
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const asks = (method: string, origin: string, headers = "content-type, x-by") => ({
  method: "OPTIONS",
  headers: { Origin: origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers },
});

describe.each(devOptions)("%s", (_how, ...args) => {
  let dev: Dev;
  let browser: Browser;
  // A page from a permitted origin, and one from an origin that no service permits.
  const elsewhere = createServer((_req, res) => res.writeHead(200, { "Content-Type": "text/html" }).end("<p>hi</p>"));
  let origin = "";

  beforeAll(async () => {
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    origin = `http://localhost:${(elsewhere.address() as AddressInfo).port}`;
    dev = await startDev(Object.fromEntries(filesOf(library(origin))), ...args);
    browser = await launchBrowser("--disable-web-security");
  });
  afterAll(async () => {
    elsewhere.close();
    await browser.close();
    await dev[Symbol.asyncDispose]();
  });

  const replyTo = async (path: string, init: RequestInit) => {
    const { status, headers } = await fetch(`http://localhost:${dev.port}${path}`, init);
    const names = ["allow-origin", "allow-credentials", "allow-methods", "allow-headers", "expose-headers"];
    const told = names.flatMap((name) => headers.get(`access-control-${name}`) ?? []);
    return [status, headers.get("vary"), ...told];
  };

  /** Sends a request from a page's script. Returns the readable part of the response, or the error's name. */
  const caller =
    (page: Page) =>
    (path: string, init: Init): Promise<string> =>
      page.evaluate(
        async ([url, options]) => {
          try {
            const answer = await fetch(url, options);
            return `${answer.status} ${answer.headers.get("x-shelf") ?? "-"} ${await answer.text()}`;
          } catch (error) {
            return (error as Error).name;
          }
        },
        [`http://localhost:${dev.port}${path}`, init] as const,
      );

  test("a named origin may read answers and refusals, and no other learns more than that it may not", async () => {
    const from = (Origin: string): RequestInit => ({ headers: { Origin } });
    const exposed = "X-Request-Id, X-Shelf, X-Content-Type-Options";
    const read = await replyTo("/books/1", from("https://app.example.com"));
    expect(read.slice(0, 4)).toEqual([200, "Origin", "https://app.example.com", "true"]);
    expect(new Set(String(read[4]).split(", "))).toEqual(new Set(exposed.split(", ")));
    const refusal = await replyTo("/books/none", from("https://app.example.com"));
    expect(refusal.slice(0, 4)).toEqual([422, "Origin", "https://app.example.com", "true"]);
    expect(await replyTo("/mine", from("https://app.example.com"))).toEqual([
      401,
      "Origin",
      "https://app.example.com",
      "true",
      expect.any(String),
    ]);
    const notAllowed = await replyTo("/books/1", { ...from("https://app.example.com"), method: "DELETE" });
    expect(notAllowed.slice(0, 4)).toEqual([405, "Origin", "https://app.example.com", "true"]);
    expect(String(notAllowed[4]).split(", ")).toContain("Allow");
    for (const stranger of [
      "null",
      "https://app.example.com.evil.example",
      "https://evil-app.example.com",
      "https://xapp.example.com",
      "http://app.example.com",
      "https://app.example.com:444",
      "https://app.example.com/",
      "https://APP.example.com",
      "https://app.example.com https://evil.example",
      "*",
    ]) {
      expect(await replyTo("/books/1", from(stranger)), stranger).toEqual([200, "Origin"]);
      expect((await replyTo("/books/1", asks("GET", stranger))).slice(2), stranger).toEqual([]);
    }
    expect(await replyTo("/time", from("https://evil.example"))).toEqual([200, null, "*", expect.any(String)]);
    for (const path of ["/shut", "/page", "/_fw/signin"]) {
      expect((await replyTo(path, from("https://app.example.com"))).slice(2), path).toEqual([]);
    }
  });

  test("a preflight is answered for the requested API, whichever service has it", async () => {
    const vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    const app = "https://app.example.com";
    const allowedReply = [204, vary, app, "true"];
    expect(await replyTo("/books", asks("POST", app))).toEqual([...allowedReply, "POST", "content-type, x-by"]);
    expect(await replyTo("/books", asks("PUT", app))).toEqual([204, vary, "*", "PUT", "content-type, x-by"]);
    expect(await replyTo("/books", asks("POST", app, "x-a\\x00, y"))).toEqual([...allowedReply, "POST"].slice(0, 5));
    expect((await replyTo("/books", asks("DELETE", app))).slice(2)).toEqual([]);
    expect((await replyTo("/shut", asks("GET", app))).slice(2)).toEqual([]);
    expect((await replyTo("/page", asks("GET", app))).slice(2)).toEqual([]);
  });

  test("in Chromium a page of a named origin uses the API, with the session, too, and another page cannot", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const form = { form: { dev_user: "alice" }, maxRedirects: 0 };
    const signedIn = await context.request.post(`http://localhost:${dev.port}/_fw/api/session`, form);
    expect(signedIn.status()).toBe(303);
    const call = caller(page);
    const post = (credentials: "include" | "omit"): Init => ({
      method: "POST",
      credentials,
      headers: { "Content-Type": "application/json" },
      body: '{"title":"Emma"}',
    });
    await page.goto(origin);
    expect(await call("/books/1", { headers: { "X-By": "page" } })).toBe('200 7 {"id":"1","by":"page"}');
    expect(await call("/books/none", {})).toBe('422 - {"error":"there is none"}');
    expect(await call("/books", post("omit"))).toBe('200 - {"title":"Emma","by":""}');
    expect(await call("/books", post("include"))).toMatch(/^200 - \{"title":"Emma","by":"[Aa]lice/);
    expect(await call("/mine", { credentials: "include" })).toMatch(/^200 - "[Aa]lice/);
    expect(await call("/time", {})).toBe('200 - {"now":1}');
    expect(await call("/time", { credentials: "include" })).toBe("TypeError");
    expect(await call("/shut", {})).toBe("TypeError");

    await page.goto(origin.replace("localhost", "127.0.0.1"));
    expect(await call("/books/1", {})).toBe("TypeError");
    expect(await call("/books", post("include"))).toBe("TypeError");
    expect(await call("/mine", { credentials: "include" })).toBe("TypeError");
    expect(await call("/time", {})).toBe('200 - {"now":1}');
    await context.close();
  });

  test("in Chromium a page of a named origin uses the API with an access token, and another page cannot", async () => {
    const context = await browser.newContext();
    const address = `http://localhost:${dev.port}`;
    await context.request.post(`${address}/_fw/api/session`, { form: { dev_user: "alice" }, maxRedirects: 0 });
    const creation = await context.request.post(`${address}/programs`, {
      headers: { "content-type": "application/json" },
    });
    const { secret } = (await creation.json()) as { secret: string };
    await context.clearCookies();
    const page = await context.newPage();
    const call = caller(page);
    const withToken: Init = { headers: { Authorization: `Bearer ${secret}` } };
    await page.goto(origin);
    expect(await call("/mine", withToken)).toMatch(/^200 - "[Aa]lice/);
    expect(await call("/mine", { headers: { Authorization: `Bearer ${secret}x` } })).toMatch(/^401 /);
    expect(await call("/mine", {})).toMatch(/^401 /);

    await page.goto(origin.replace("localhost", "127.0.0.1"));
    expect(await call("/mine", withToken)).toBe("TypeError");
    await context.close();
  });
});
