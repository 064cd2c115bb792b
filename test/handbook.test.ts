import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { copyOfExample, startDev, type DevServer } from "./support/fw.ts";

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  server = await startDev(await copyOfExample("handbook"));
  browser = await launchBrowser("--disable-web-security");
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test("every page of the documentation is there, and every link of it leads to a page and a heading", async () => {
  const pages = new Map<string, string>();
  const wanted = ["/"];
  const links: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
  for (const path of wanted) {
    if (pages.has(path)) continue;
    const answer = await fetch(server.url + path);
    const html = answer.ok ? await answer.text() : "";
    pages.set(path, html);
    for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:|^#main$/.test(href)) continue;
      const target = new URL(href, server.url + path);
      links.push({ from: path, path: target.pathname, anchor: decodeURIComponent(target.hash.slice(1)) });
      wanted.push(target.pathname);
    }
  }
  const broken = links.filter(({ path, anchor }) => {
    const html = pages.get(path) ?? "";
    return html === "" || (anchor !== "" && !html.includes(` id="${anchor}"`));
  });
  expect(broken).toEqual([]);
  expect(pages.size).toBeGreaterThan(90);
});

test("a word is searched for by keyboard and leads to its section, and a rule's id to its page", async () => {
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.keyboard.press("/");
  await page.keyboard.type("maxAttempts delivery");
  await page
    .getByRole("status")
    .filter({ hasText: /sections? fit/ })
    .waitFor({ state: "attached" });
  await page.locator("#results a").first().press("Enter");
  await page.waitForURL(/\.html/);
  expect(await page.locator("main").innerText()).toContain("maxAttempts");
  await page.context().close();
  const rule = await fetch(`${server.url}/fw/route-conflict`);
  expect(rule.url).toBe(`${server.url}/rules/route-conflict.html`);
  expect((await fetch(`${server.url}/nope`, { headers: { accept: "text/html" } })).status).toBe(404);
});
