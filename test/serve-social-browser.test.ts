import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchBrowser } from "./support/browser.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";
import { clientSecret, startProvider } from "./support/social-provider.ts";

const files = `
-- shop/shop.ts --
import { Auth, Page, Site } from "fw";

export const auth = Auth({ social: true });
export const site = Site("./public");
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", { email: ctx.user().email }), { signIn: true });
-- shop/public/templates/layout.html --
<!doctype html><html lang="en"><head><title>Shop</title></head><body>{{content}}</body></html>
-- shop/public/templates/home.html --
<h1>Shop</h1><p id="who">{{email}}</p>
`;

let root: string;
let browser: Browser;
beforeAll(async () => {
  root = writeApplication(Object.fromEntries(filesOf(files)));
  [browser] = await Promise.all([launchBrowser("--disable-web-security"), build(root)]);
});
afterAll(async () => {
  await browser?.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

test("Chromium signs in at an OpenID Connect provider and signs out of both", async () => {
  const provider = await startProvider();
  const env = { FW_OIDC_ISSUER: provider.issuer, FW_OIDC_CLIENT_ID: "shop", FW_OIDC_CLIENT_SECRET: clientSecret };
  const server = await startServe([], { cwd: root, env });
  onTestFinished(() => server[Symbol.asyncDispose]());
  provider.serve(server.url);
  const { host } = new URL(provider.issuer);
  const page = await browser.newPage();
  await page.goto(`${server.url}/_fw/signin?next=/`);
  await page.getByRole("link", { name: `Sign in at ${host}` }).click();
  await page.locator('input[name="login"]').fill("ada");
  await page.locator('input[name="password"]').fill("x");
  await page.locator('button[type="submit"]').click();
  // The provider asks the user for consent.
  await page.locator('input[name="prompt"][value="consent"]').waitFor({ state: "attached" });
  await page.locator('button[type="submit"]').click();
  await page.waitForURL(`${server.url}/`);
  expect(await page.locator("#who").textContent()).toBe("ada@example.com");

  await page.goto(`${server.url}/_fw/signin`);
  await page.getByRole("button", { name: `Also sign out at ${host}` }).click();
  await page.locator('button[name="logout"]').click();
  await page.waitForURL(`${server.url}/_fw/signin`);
  expect(await page.getByText("You are signed in").count()).toBe(0);
  // The provider has also signed the user out, and asks again.
  await page.getByRole("link", { name: `Sign in at ${host}` }).click();
  await page.locator('input[name="login"]').waitFor();
});
