import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

// A pond's guest book in a real browser: plain forms, htmx, uploads, and a page on another site that forges a form.
const pond = String.raw`
-- pond/pages.ts --
import { Page, Redirect, RedirectPermanent, Site } from "fw";
import type { Blob, Email, Form, Query } from "fw";

export const site = Site("./public", { notFound: "404.html" });
const seen: string[] = [];

export const book = Page("GET /", (ctx) => site.render(ctx, "book.html", { seen }));
export const list = Page("GET /seen", (ctx) =>
  ctx.wantsFragment ? site.fragment(ctx, "seen.html", { seen }) : site.render(ctx, "seen.html", { seen }),
);
export const spot = Page("POST /spot", (_ctx, req: { bird: Form }) => {
  seen.push(req.bird);
  return Redirect("/seen");
});
export const picture = Page("POST /picture", async (_ctx, req: { bird: Form; picture: Form<Blob> }) => {
  seen.push(req.bird + " " + (await new Response(req.picture.stream()).text()));
  return Redirect("/seen");
});
export const forget = Page("DELETE /seen", () => {
  seen.length = 0;
  return RedirectPermanent("/");
});
export const join = Page("POST /join", async (ctx, { email }: { email: Form<string & Email> }) => {
  seen.push(email);
  return ctx.wantsFragment ? site.fragment(ctx, "join.html", {}) : Redirect("/seen");
}, { once: true, invalid: (ctx) => site.fragment(ctx, "join.html", {}) });
export const about = Page("GET /about", (ctx) => site.render(ctx, "book.html", { seen: [] }), { maxAge: "1h" });

-- pond/public/templates/layout.html --
<!doctype html><html><head><title>Pond</title><meta name="csrf" content="{{csrfToken}}">@htmx-config@
<script src="/htmx.min.js"></script></head>
<body hx-headers='{"X-CSRF-Token": {{csrfToken}} }'>
<p hx-boost="true"><a href="/">Book</a> <a href="/seen">Birds</a></p>{{content}}</body></html>
-- pond/public/templates/book.html --
<form method="post" action="/spot">{{csrf}}<input name="bird"><button>Spot</button></form>
<form method="post" action="/picture" enctype="multipart/form-data" id="upload">
  {{csrf}}<input name="bird" value="swan"><input type="file" name="picture"><button>Upload</button>
</form>
{{> join}}
<button id="load" hx-get="/seen" hx-target="#list">Load</button>
<button id="forget" hx-delete="/seen">Forget</button>
<div id="list"></div>
-- pond/public/templates/join.html --
<form id="join" method="post" action="/join" hx-post="/join" hx-swap="outerHTML" novalidate>
  {{csrf}}{{field "POST /join" "email" label="Email"}}<button>Join</button>
</form>
-- pond/public/templates/seen.html --
<ul>{{#each seen}}<li>{{this}}</li>{{/each}}</ul>
-- pond/public/templates/404.html --
<h1>No such pond</h1>
`;

// The configuration of htmx that the guide shows.
const guide = readFileSync(new URL("../docs/page.md", import.meta.url), "utf8");
const htmxConfig = /<meta name="htmx-config"[^>]*>/.exec(guide)?.[0] ?? "";

// The copy of htmx that the notes example serves.
const { resolve } = createRequire(new URL("../examples/notes/package.json", import.meta.url));
const htmx = readFileSync(resolve("htmx.org/dist/htmx.min.js"), "utf8");

let dev: Dev;
let browser: Browser;
let page: Page;
const at = (path: string): string => `http://localhost:${dev.port}${path}`;
const items = (): Promise<string[]> => page.locator("li").allTextContents();

beforeAll(async () => {
  const files = {
    ...Object.fromEntries(filesOf(pond.replace("@htmx-config@", htmxConfig))),
    "pond/public/htmx.min.js": htmx,
  };
  [dev, browser] = await Promise.all([startDev(files), launchBrowser()]);
  if (!dev.output().includes("ready in")) throw new Error(dev.output());
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await dev?.[Symbol.asyncDispose]();
});

test("a boosted link and htmx's own way back show whole documents, where a button loads a part", async () => {
  const linkTexts = (): Promise<string[]> => page.locator('a:not([href^="/_fw/"])').allTextContents();
  await page.goto(at("/"));
  await page.locator("#load").click();
  await page.locator("#list ul").waitFor({ state: "attached" });
  expect(await linkTexts()).toEqual(["Book", "Birds"]);
  await page.getByRole("link", { name: "Birds" }).click();
  await page.waitForURL(at("/seen"));
  await page.locator("body > ul").waitFor({ state: "attached" });
  expect(await linkTexts()).toEqual(["Book", "Birds"]);
  await page.getByRole("link", { name: "Book" }).click();
  await page.waitForURL(at("/"));
  await page.locator("#load").waitFor();
  await page.evaluate('sessionStorage.removeItem("htmx-history-cache")');
  const restored = page.waitForRequest((request) => request.headers()["hx-history-restore-request"] === "true");
  await page.goBack();
  expect((await restored).url()).toBe(at("/seen"));
  await page.locator("body > ul").waitFor({ state: "attached" });
  expect(await linkTexts()).toEqual(["Book", "Birds"]);
});

test("a form with `{{csrf}}` is taken, Redirect leads on by 303, and what was typed is text", async () => {
  await page.goto(at("/"));
  await page.locator("input[name=bird]").first().fill("<b>heron</b>");
  const answer = page.waitForResponse((response) => response.url() === at("/spot"));
  await page.getByRole("button", { name: "Spot" }).click();
  expect((await answer).status()).toBe(303);
  await page.waitForURL(at("/seen"));
  expect(await items()).toEqual(["<b>heron</b>"]);
  expect(await page.title()).toBe("Pond");
});

test("a form with a file is taken with its token", async () => {
  await page.goto(at("/"));
  await page
    .locator("#upload input[type=file]")
    .setInputFiles({ name: "s.txt", mimeType: "text/plain", buffer: Buffer.from("white") });
  await page.getByRole("button", { name: "Upload" }).click();
  await page.waitForURL(at("/seen"));
  expect(await items()).toContain("swan white");
});

test("under htmx a handler returns a fragment, and it is put into the open page", async () => {
  await page.goto(at("/"));
  await page.locator("#load").click();
  await page.locator("#list li").first().waitFor();
  expect(await page.locator("html html, #list title").count()).toBe(0);
  expect(await page.title()).toBe("Pond");
});

test("under htmx a redirect leads the whole page on, and `{{csrfToken}}` in a header admits the request", async () => {
  await page.goto(at("/"));
  const answer = page.waitForResponse((response) => response.request().method() === "DELETE");
  const loaded = page.waitForEvent("load");
  await page.locator("#forget").click();
  expect([(await answer).status(), (await answer).headers()["hx-redirect"]]).toEqual([200, "/"]);
  await loaded;
  await page.goto(at("/seen"));
  expect(await items()).toEqual([]);
});

test("htmx with the configuration of the guide inserts a refused form, with what was typed and its problems", async () => {
  await page.goto(at("/"));
  await page.locator("#join input[name=email]").fill("ann@");
  const answer = page.waitForResponse((response) => response.url() === at("/join"));
  await page.getByRole("button", { name: "Join" }).click();
  expect((await answer).status()).toBe(422);
  await page.locator("#join .problems").waitFor();
  expect(await page.locator("#join .problems").textContent()).toBe("must be an email address");
  expect(await page.locator("#join input[name=email]").inputValue()).toBe("ann@");
  expect(await page.locator("#join").count()).toBe(1);
});

test("a form that another site forges is refused", async () => {
  await page.goto(at("/"));
  await page.route("http://elsewhere.test/", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<form method="post" action="${at("/spot")}"><input name="bird" value="cuckoo"><input name="_csrf" value="x"></form>`,
    }),
  );
  await page.goto("http://elsewhere.test/");
  const answer = page.waitForResponse((response) => response.url() === at("/spot"));
  await page.evaluate(`document.forms[0].submit()`);
  expect((await answer).status()).toBe(403);
  await page.waitForURL(at("/spot"));
  await page.goto(at("/seen"));
  expect(await items()).toEqual([]);
});

test("a page with maxAge leaves no cookie in the browser, and its form has no token", async () => {
  await page.context().clearCookies();
  await page.goto(at("/about"));
  expect(await page.locator("input[name=_csrf]").count()).toBe(0);
  expect(await page.locator("meta[name=csrf]").getAttribute("content")).toBe("");
  expect(await page.context().cookies()).toEqual([]);
});

test("a form with once that a user submits twice runs once, and the browser shows its answer", async () => {
  await page.goto(at("/"));
  await page.locator("#join input[name=email]").fill("bea@example.com");
  const answer = page.waitForResponse((response) => response.url() === at("/seen"));
  // Calls to submit() bypass htmx, which would drop the second one.
  await page.evaluate(
    `const form = document.querySelector("#join"); form.submit(); setTimeout(() => form.submit(), 20)`,
  );
  expect((await answer).status()).toBe(200);
  await page.locator("body > ul").waitFor();
  expect(await items()).toEqual(["bea@example.com"]);
});

test("a mistyped address shows the designed page", async () => {
  const answer = await page.goto(at("/pnod"));
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { name: "No such pond" }).waitFor();
});
