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

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test("there are at least 2,700 placements", () => {
  const all = Object.keys(places).length + Object.keys(htmlPlaces).length;
  expect(payloads.length * all).toBeGreaterThan(2_700);
});

test("the canary works: unescaped payloads do execute", async () => {
  const page = await browser.newPage();
  const executed = await watch(page, payloads.filter((payload) => /^<(?:img|svg|script)/i.test(payload)).join("\n"));
  await page.goto(`${origin}/`, { waitUntil: "load" });
  await expect.poll(() => executed.length).toBeGreaterThan(5);
  await page.close();
});

for (const [name, { template, read, loads }] of Object.entries(places)) {
  test(`no payload executes, or adds to the page, as the ${name}`, async () => {
    // Loading is slow in the browser; places whose URLs load nothing get every payload.
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
  const compiled = load({ "t.html": template })["t.html"];
  return (payload) => compiled?.({ p: payload }, browserPage) ?? "";
}

/** An HTML parser normalizes newlines and removes NUL. */
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
  const context = await browser.newContext();
  const page = await context.newPage();
  const executed = await watch(page, `<!doctype html><body>${cases.join("\n")}`);
  await page.goto(`${origin}/`, { waitUntil: "load" });
  await page.evaluate("touchEverything()");
  const seen = await page.evaluate<Omit<Visit, "executed">>(`inspect(${JSON.stringify(read)})`);
  await context.close();
  return { executed, ...seen };
}

/**
 * Serves the page and records every sign of an executed payload: calls of dialog functions, and scripts from elsewhere.
 */
async function watch(page: Page, html: string): Promise<string[]> {
  const executed: string[] = [];
  page.on("console", (message) => void (message.text().startsWith("EXECUTED") && executed.push(message.text())));
  await page.addInitScript({ path: fileURLToPath(new URL("testing/in-page.js", import.meta.url)) });
  await page.route("**", (route) => {
    const request = route.request();
    if (request.url() === `${origin}/`) return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
    const elsewhere = /^https?:/.test(request.url()) && !request.url().startsWith(`${origin}/`);
    if (request.resourceType() === "script" && elsewhere) executed.push(request.url());
    return route.abort();
  });
  return executed;
}
