import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../../../../test/support/browser.ts";
import { renderHTML, renderMarkdown } from "../../runtime/page/markdown.ts";
import { htmlPlaces, places } from "./testing/placements.ts";
import { load, testPage } from "./testing/render.ts";

const fixture = new URL("testing/xss-payloads.json", import.meta.url);
const payloads = Object.values(JSON.parse(readFileSync(fixture, "utf8")) as Record<string, string[]>).flat();
const origin = "http://app.test";
const browserPage = {
  ...testPage,
  markdown: (text: unknown) => renderMarkdown({ trustedHTML: false }, text),
  html: (value: unknown) => renderHTML({ trustedHTML: false }, value),
};

/** A component with slots in two contexts. */
const components = { "box.html": `<p><b title="{{slot "title"}}"></b>{{slot}}</p>` };

let browser: Browser;
/** A single tab for all documents, because each new one would start a process. */
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
  await watch(page);
});
afterAll(() => browser.close());

test("there are at least 2,700 placements", () => {
  const all = Object.keys(places).length + Object.keys(htmlPlaces).length;
  expect(payloads.length * all).toBeGreaterThan(2_700);
});

test("the canary works: unescaped payloads do execute", async () => {
  const executed = await open(payloads.filter((payload) => /^<(?:img|svg|script)/i.test(payload)).join("\n"));
  await expect.poll(() => executed.length).toBeGreaterThan(5);
});

for (const [name, { template, read, loads }] of Object.entries(places)) {
  test(`no payload executes, or adds to the page, as the ${name}`, async () => {
    // Loading is slow in the browser, so places that load something get only some payloads.
    const some = loads === true ? payloads.filter((_, i) => i % 6 === 0) : payloads;
    const { executed, skeletons, read: found, schemes } = await visit(some, placement(template), read);
    expect(executed).toEqual([]);
    expect(some.filter((_, i) => skeletons[i + 1] !== skeletons[0])).toEqual([]);
    expect(schemes).toEqual([]);
    if (read !== undefined) expect(found).toEqual(["x", ...some].map(asParsed));
  });
}

for (const [name, template] of Object.entries(htmlPlaces)) {
  test(`no payload executes as ${name}`, async () => {
    const { executed, skeletons, schemes } = await visit(payloads, placement(template));
    expect(executed).toEqual([]);
    expect(schemes).toEqual([]);
    expect(
      skeletons.filter((skeleton) =>
        /<(?:script|style|iframe|object|embed|svg|math|form|base|meta|link)\b| on/.test(skeleton),
      ),
    ).toEqual([]);
  });
}

function placement(template: string): (payload: string) => string {
  const compiled = load({ "t.html": template, ...components })["t.html"];
  return (payload) => compiled?.({ p: payload }, browserPage) ?? "";
}

/** Normalizes newlines, as an HTML parser does. */
function asParsed(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

interface Visit {
  readonly executed: readonly string[];
  readonly skeletons: readonly string[];
  readonly schemes: readonly string[];
  readonly read: readonly unknown[];
}

/** Opens a page with every payload in one place, and triggers every event and link. */
async function visit(some: readonly string[], render: (payload: string) => string, read?: string): Promise<Visit> {
  const cases = ["x", ...some].map((payload) => `<div class="case">${render(payload)}</div>`);
  const executed = await open(`<!doctype html><body>${cases.join("\n")}`);
  await page.evaluate("touchEverything()");
  const seen = await page.evaluate<Omit<Visit, "executed">>(`inspect(${JSON.stringify(read)})`);
  return { executed, ...seen };
}

/** The current document in the browser's tab, and what its payloads executed. */
let current: { readonly html: string; readonly executed: string[] } = { html: "", executed: [] };

/** Opens a document in the tab. Returns a list that collects every payload executed in it. */
async function open(html: string): Promise<readonly string[]> {
  const executed: string[] = [];
  current = { html, executed };
  await page.goto(`${origin}/`, { waitUntil: "load" });
  return executed;
}

/** Serves the current document. Records the payloads that run, and requests for scripts of other origins. */
async function watch(tab: Page): Promise<void> {
  tab.on("console", (message) => {
    if (message.text().startsWith("EXECUTED")) current.executed.push(message.text());
  });
  await tab.addInitScript({ path: fileURLToPath(new URL("testing/in-page.js", import.meta.url)) });
  await tab.route("**", (route) => {
    const request = route.request();
    if (request.url() === `${origin}/`)
      return route.fulfill({ contentType: "text/html; charset=utf-8", body: current.html });
    const elsewhere = /^https?:/.test(request.url()) && !request.url().startsWith(`${origin}/`);
    if (request.resourceType() === "script" && elsewhere) current.executed.push(request.url());
    return route.abort();
  });
}
