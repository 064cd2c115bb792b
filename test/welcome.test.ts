import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Browser } from "playwright-core";
import { build } from "./support/build.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";

const tasks = {
  "tasks/tasks.ts": `import { API, Entity, type ID, type Path } from "fw";
export const tasks = Entity<{ id: ID; title: string }>("tasks");
export const list = API("GET /tasks", (ctx) => tasks.query().all(ctx));
export const show = API("GET /tasks/{id}", (ctx, { id }: { id: Path }) => tasks.get(ctx, id));
`,
};
const home = `import { API } from "fw";\nexport const home = API("GET /", () => "the first route");\n`;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

let browser: Browser;
beforeAll(async () => void (browser = await launchBrowser()));
afterAll(() => browser.close());

test.each([
  { mode: "one process", options: [] },
  { mode: "--services", options: ["--services"] },
])("fw dev welcomes users at the root until a route is there: $mode", async ({ options }) => {
  await using dev = await startDev(tasks, ...options);
  const page = await browser.newPage({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  const text = await dev.eventually("/", ({ status }) => status === 200);
  expect(text.body).toContain("GET  /tasks  ");
  expect(text.body).toContain(`:${dev.port}/_fw/console`);

  await page.goto(`http://localhost:${dev.port}/`);
  expect(await page.title()).toBe("app is running");
  expect(await page.getByRole("link", { name: "/tasks", exact: true }).getAttribute("href")).toBe("/tasks");
  expect(await page.getByRole("link", { name: /Requests, data/ }).getAttribute("href")).toBe("/_fw/console");
  expect(await page.locator("main").innerText()).toContain("tasks/tasks.ts:3");
  await page.evaluate(axe);
  expect(await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);

  const program = await dev.get("/", { accept: "application/json" });
  expect(program).toMatchObject({ status: 404, body: '{"error":"not found"}' });
  dev.write({ "tasks/home.ts": home });
  await dev.eventually("/", ({ body }) => body.includes("the first route"));
});

test("a build has no welcome page", async () => {
  const root = writeApplication(tasks);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await build(root);
  await using served = await startServe([], { cwd: root });
  expect((await fetch(served.url)).status).toBe(404);
});
