import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityProblems } from "./support/axe.ts";
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
  const queue = ["/"];
  const links: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
  for (const path of queue) {
    if (pages.has(path)) continue;
    const answer = await fetch(server.url + path);
    const html = answer.ok ? await answer.text() : "";
    pages.set(path, html);
    for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:|^#main$|^\/_fw\//.test(href)) continue;
      const target = new URL(href, server.url + path);
      links.push({ from: path, path: target.pathname, anchor: decodeURIComponent(target.hash.slice(1)) });
      queue.push(target.pathname);
    }
  }
  const broken = links.filter(({ path, anchor }) => {
    const html = pages.get(path) ?? "";
    return html === "" || (anchor !== "" && !html.includes(` id="${anchor}"`));
  });
  expect(broken).toEqual([]);
  expect(pages.size).toBeGreaterThan(90);
});

test("every page has one title, which its entry of the navigation has, too, and an address without .html", async () => {
  const start = await (await fetch(server.url)).text();
  const navigation = start.slice(start.indexOf("<nav"), start.indexOf("</nav>"));
  const entries = [...navigation.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, path = "", name = ""]) => ({
    path,
    name,
  }));
  expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
  for (const { path, name } of entries) {
    const html = await (await fetch(server.url + path)).text();
    expect({ path, titles: [...html.matchAll(/<h1[^>]*>([^<]*)<\/h1>/g)].map(([, title]) => title) }).toEqual({
      path: expect.stringMatching(/^\/docs\/[\w-]+\/$/),
      titles: [name],
    });
    expect(html).toContain(`<title>${name} · fw</title>`);
  }
  // The groups are the same as in the index of docs/.
  const index = readFileSync(new URL("../docs/README.md", import.meta.url), "utf8");
  const groups = [...navigation.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, group]) => group);
  expect(groups).toEqual([
    "Start",
    ...["Declarations", "Concepts", "Tools"].filter((group) => index.includes(`## ${group}\n`)),
  ]);
  expect(groups).toHaveLength(4);
});

test.each([
  { width: 1280, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const)("the pages have no accessibility problem at $width pixels", async ({ width, colorScheme }) => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
  const navigation = page.getByRole("navigation", { name: "Pages" });
  for (const path of ["/", "/docs/queue/", "/docs/commands/"]) {
    await page.goto(server.url + path);
    if (width === 390) {
      expect(await navigation.count()).toBe(0);
      await page.getByRole("button", { name: "Pages" }).click();
    }
    await navigation.waitFor();
    expect({ path, problems: await accessibilityProblems(page) }).toEqual({ path, problems: [] });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  await page.context().close();
});

test("the first result of a search is the page about it, in the whole width of a phone", async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(server.url);
  await page.getByRole("searchbox").fill("upload a file");
  const first = page.locator("#results li").first();
  await first.waitFor();
  expect(await first.innerText()).toMatch(/^Bucket\n.*uploads/);
  expect((await page.locator("#results").boundingBox())?.width).toBeGreaterThan(370);
  await page.context().close();
});

test("a search corrects a mistyped word, and finds pages by words that they do not contain", async () => {
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.getByRole("searchbox").fill("polcy");
  await page.getByRole("status").filter({ hasText: "for policy instead of polcy" }).waitFor({ state: "attached" });
  await page.getByRole("searchbox").fill("rate limiting");
  await expect.poll(() => page.locator("#results li").first().innerText()).toMatch(/^Limit\n/);
  await page.context().close();
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
  await page.waitForURL(({ pathname }) => pathname !== "/");
  expect(await page.locator("main").innerText()).toContain("maxAttempts");
  await page.context().close();
  const rule = await fetch(`${server.url}/fw/route-conflict`);
  expect(rule.url).toBe(`${server.url}/docs/rules/route-conflict/`);
  expect((await fetch(`${server.url}/nope`, { headers: { accept: "text/html" } })).status).toBe(404);
});
