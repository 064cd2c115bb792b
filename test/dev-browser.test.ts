import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

let browser: Browser;
// This Chromium exits when its last page closes, so one page serves all tests.
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});

afterAll(() => browser?.close());

const site: Record<string, string> = {
  "web/pages.ts": `import { Page, Site, API } from "fw";
export const site = Site("./public");
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", { word: "one" }));
export const part = Page("GET /part", (ctx) => site.fragment(ctx, "home.html", { word: "one" }));
export const data = API("GET /data", () => ({}));`,
  "web/public/templates/layout.html": `<!doctype html><html><head><title>t</title><link rel="stylesheet" href="/look.css"></head><body>{{content}}</body></html>`,
  "web/public/templates/home.html": `<p id="word">{{word}}</p>`,
  "web/public/look.css": `p { color: rgb(255, 0, 0) }`,
};

const withWord = (word: string): Record<string, string> => ({
  "web/pages.ts": (site["web/pages.ts"] ?? "").replaceAll(`"one"`, JSON.stringify(word)),
});

async function open(dev: Dev): Promise<void> {
  await page.goto(`http://localhost:${dev.port}/`);
}

test("the open page shows a saved file by itself", async () => {
  await using dev = await startDev(site);
  await open(dev);
  dev.write(withWord("two"));
  await page.locator("#word", { hasText: "two" }).waitFor();
  dev.write({ "web/public/templates/home.html": `<p id="word">{{word}} and three</p>` });
  await page.locator("#word", { hasText: "two and three" }).waitFor();
});

test("a stylesheet changes without a reload", async () => {
  await using dev = await startDev(site);
  await open(dev);
  await page.evaluate(() => Object.assign(globalThis, { kept: true }));
  dev.write({ "web/public/look.css": `p { color: rgb(0, 0, 255) }` });
  await expect
    .poll(() => page.evaluate(`getComputedStyle(document.querySelector("#word")).color`))
    .toBe("rgb(0, 0, 255)");
  expect(await page.evaluate(() => (globalThis as { kept?: boolean }).kept)).toBe(true);
});

test("a stylesheet saved while the page loads changes, too", async () => {
  await using dev = await startDev(site);
  const events = "**/_fw/dev/events";
  let listen = (): void => {};
  const saved = new Promise<void>((resolve) => (listen = resolve));
  await page.route(events, (route) => saved.then(() => route.continue()));
  await open(dev);
  dev.write({ "web/public/look.css": `p { color: rgb(0, 0, 255) }` });
  await dev.says("look.css");
  listen();
  await expect
    .poll(() => page.evaluate(`getComputedStyle(document.querySelector("#word")).color`))
    .toBe("rgb(0, 0, 255)");
  await page.unroute(events);
});

test("errors are shown over the page as text, and go away with a fix", async () => {
  await using dev = await startDev(site);
  await open(dev);
  const script = `"<img src=x onerror=document.title='owned'>"`;
  dev.write({ "web/pages.ts": `${site["web/pages.ts"]}\nthrow new Error(${script});` });
  const overlay = page.locator("#fw-dev-overlay");
  await overlay.getByText("<img src=x").first().waitFor();
  const place = overlay.getByText("web/pages.ts:6:7").first();
  await place.waitFor();
  expect(await place.getAttribute("href")).toContain("/web/pages.ts:6:7");
  expect(await overlay.locator("pre .keyword").first().textContent()).toBe("export");
  expect((await overlay.locator("pre .marked").allTextContents()).join("")).toBe(`new Error(${script})`);
  expect(await page.title()).toBe("t");
  expect(await page.locator("#word").textContent()).toBe("one");
  await page.keyboard.press("Escape");
  await overlay.waitFor({ state: "detached" });
  dev.write(withWord("fixed"));
  await page.locator("#word", { hasText: "fixed" }).waitFor();
  expect(await overlay.count()).toBe(0);
});

test("a type error is a notice that can be closed and hides nothing", async () => {
  await using dev = await startDev(site);
  await open(dev);
  dev.write({
    "web/pages.ts": `${site["web/pages.ts"]}\n\tconst 宽 = 1; export const n: Record<string, number> = { a: "text" };`,
  });
  const overlay = page.locator("#fw-dev-overlay");
  await overlay.getByText("ts2322").waitFor();
  expect(await overlay.locator("pre .marked").allTextContents()).toEqual(["a"]);
  expect(await overlay.getByRole("heading").textContent()).toBe("1 type error");
  expect(await page.locator("#word").isVisible()).toBe(true);
  await overlay.getByRole("button", { name: "Close" }).click();
  await overlay.waitFor({ state: "detached" });
});

test("a warning is called one, and code scrolls to the part that it marks", async () => {
  await using dev = await startDev(site);
  await open(dev);
  dev.write({
    "web/orders.ts": `import { API, Entity, type ID } from "fw";
export const orders = Entity<{ id: ID; total: number }>("orders");
export const sum = API("GET /sum", async (ctx) => {
  let total = 0;
  for (const { id } of await orders.query().limit(50).all(ctx)) total += 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + (await orders.get(ctx, id)).total;
  return { total };
});`,
  });
  const overlay = page.locator("#fw-dev-overlay");
  await overlay.getByText("fw/read-in-loop").waitFor();
  expect(await overlay.getByRole("heading").textContent()).toBe("1 warning");
  const [code, mark] = [overlay.locator("pre"), overlay.locator("pre .marked").first()];
  const [outer, inner] = [await code.boundingBox(), await mark.boundingBox()];
  expect(inner?.x).toBeGreaterThan(outer?.x ?? Infinity);
  expect((inner?.x ?? Infinity) + (inner?.width ?? 0)).toBeLessThan((outer?.x ?? 0) + (outer?.width ?? 0));
  await overlay.getByRole("button", { name: "Close" }).click();
});

test("a page that says why there is no application becomes the application", async () => {
  await using dev = await startDev(site);
  await open(dev);
  dev.write({ "web/pages.ts": `${site["web/pages.ts"]}\nsetTimeout(() => process.exit(1), 10);` });
  await dev.says("save a fix to restart it");
  // The open page may reload itself first, which interrupts this navigation to the same URL.
  await page.goto(`http://localhost:${dev.port}/`).catch(() => {});
  await page.locator("html[data-fw-waiting]").waitFor();
  await page.locator("#fw-dev-overlay").getByText("exited with code 1").first().waitFor();
  dev.write(withWord("back"));
  await page.locator("#word", { hasText: "back" }).waitFor();
});

test("a crash keeps the page's connection to the loop: the next save still reloads it", async () => {
  await using dev = await startDev({
    ...site,
    "web/crash.ts": `import { API } from "fw"; export const crash = API("POST /crash", (): {} => process.exit(1));`,
  });
  await open(dev);
  await page.evaluate(() => fetch("/crash", { method: "POST" }).catch(() => undefined));
  await dev.says("the application responds again");
  dev.write(withWord("two"));
  await page.locator("#word", { hasText: "two" }).waitFor();
});

test("documents get the script, fragments, JSON and files do not", async () => {
  await using dev = await startDev(site);
  expect((await dev.get("/")).body).toContain("/_fw/dev/client.js");
  for (const path of ["/part", "/data", "/look.css"]) expect((await dev.get(path)).body).not.toContain("_fw/dev");
});

test("names of other sites that lead to this machine are refused everything, and told what to type", async () => {
  await using dev = await startDev({
    ...site,
    "shop/auth.ts": `import { Auth } from "fw";\nexport const auth = Auth({ social: true });\n`,
  });
  for (const host of ["evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example"]) {
    for (const path of ["/_fw/dev/client.js", "/_fw/signin", "/", "/data", "/look.css"])
      expect(await dev.get(path, { host })).toMatchObject({
        status: 403,
        body: expect.stringContaining(`start it with --allowed-host ${host.replace(":8080", "")}`),
      });
  }
  for (const host of ["localhost:8080", "app.localhost", "192.168.1.7:8080", "[::1]:8080", "laptop"]) {
    for (const path of ["/_fw/dev/client.js", "/data"])
      expect(await dev.get(path, { host })).toMatchObject({ status: 200 });
  }
});

test("a name that is allowed is answered, while the application runs and while it cannot", async () => {
  const hosts = ["--allowed-host", "app.tunnel.example", "--allowed-host=.lan.example"];
  await using dev = await startDev(site, ...hosts);
  const statuses = async (path: string): Promise<number[]> =>
    Promise.all(
      ["app.tunnel.example", "tv.lan.example", "evil.example"].map(
        async (host) => (await dev.get(path, { host })).status,
      ),
    );
  expect(await statuses("/data")).toEqual([200, 200, 403]);
  expect(await statuses("/_fw/dev/client.js")).toEqual([200, 200, 403]);
  await using broken = await startDev(
    { "app/hello.ts": `import { API } from "fw";\nexport const a = API(\n` },
    ...hosts,
  );
  expect((await broken.get("/", { host: "app.tunnel.example" })).status).toBe(503);
  expect((await broken.get("/", { host: "evil.example" })).status).toBe(403);
});
