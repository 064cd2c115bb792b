import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { filesOf } from "../packages/fw/src/cli/new/templates.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { build } from "./support/build.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";
import { devOptions } from "./support/topologies.ts";

const tasks = {
  "tasks/tasks.ts": `import { API, Entity, type ID, type Path } from "fw";
export const tasks = Entity<{ id: ID; title: string }>("tasks");
export const list = API("GET /tasks", (ctx) => tasks.query().all(ctx));
export const show = API("GET /tasks/{id}", (ctx, { id }: { id: Path }) => tasks.get(ctx, id));
`,
};
const home = `import { API } from "fw";\nexport const home = API("GET /", () => "the first route");\n`;

/** Returns the problems found by axe, and how many pixels wider the page is than its window. */
async function audit(page: Page): Promise<{ readonly violations: unknown; readonly overflow: unknown }> {
  return {
    violations: await accessibilityProblems(page),
    overflow: await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
  };
}

let browser: Browser;
beforeAll(async () => void (browser = await launchBrowser()));
afterAll(() => browser.close());

test.each(devOptions)("fw dev welcomes users at the root until a route is there: %s", async (_how, ...options) => {
  await using dev = await startDev(tasks, ...options);
  const page = await browser.newPage({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  const text = await dev.eventually("/", ({ status }) => status === 200);
  expect(text.body).toContain("GET  /tasks  ");
  expect(text.body).toContain(`:${dev.port}/_fw/console`);

  await page.goto(`http://localhost:${dev.port}/`);
  expect(await page.title()).toBe("app is running");
  expect(await page.getByRole("link", { name: "/tasks", exact: true }).getAttribute("href")).toBe("/tasks");
  expect(await page.getByRole("link", { name: /Requests, data/ }).getAttribute("href")).toBe("/_fw/console");
  expect(await page.getByRole("link", { name: "tasks/tasks.ts:3" }).getAttribute("href")).toMatch(
    /^vscode:\/\/file\/.+\/tasks\/tasks\.ts:3:1$/,
  );
  expect(await audit(page)).toEqual({ violations: [], overflow: 0 });

  const program = await dev.get("/", { accept: "application/json" });
  expect(program).toMatchObject({ status: 404, body: '{"error":"not found"}' });
  dev.write({ "tasks/home.ts": home });
  await dev.eventually("/", ({ body }) => body.includes("the first route"));
});

test("pages of a new application are accessible, also a refused form, on phones and in the dark", async () => {
  const words = { name: "club", install: "", start: "", test: "", check: "" };
  await using dev = await startDev(Object.fromEntries(filesOf("full", words)));
  await dev.eventually("/", ({ status }) => status === 200);
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    const page = await browser.newPage({ bypassCSP: true, colorScheme, viewport: { width, height: 800 } });
    const check = async (state: string): Promise<void> =>
      expect({ state, ...(await audit(page)) }).toEqual({ state, violations: [], overflow: 0 });
    await page.goto(`http://localhost:${dev.port}/`);
    await check("signed out");
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await check("sign-in");
    await page.getByRole("button", { name: "alice" }).click();
    await page.getByText("Signed in as").waitFor();
    await check("signed in");
    await page.evaluate("for (const form of document.forms) form.noValidate = true");
    await page.getByRole("button", { name: "Sign the guestbook" }).click();
    await page.getByRole("alert").filter({ hasText: "must be at least 1 character" }).waitFor();
    await check("refused form");
    await page.context().close();
  }
});

test("a build has no welcome page", async () => {
  const root = writeApplication(tasks);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await build(root);
  await using served = await startServe([], { cwd: root });
  expect((await fetch(served.url)).status).toBe(404);
});
