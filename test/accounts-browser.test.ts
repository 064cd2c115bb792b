import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { club, codeOfKey, type StoredMail } from "./support/accounts.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

let dev: Dev;
let browser: Browser;
// This Chromium exits when its last page closes, so one page serves all tests.
let page: Page;
const at = (path: string): string => `http://localhost:${dev.port}${path}`;

beforeAll(async () => {
  [dev, browser] = await Promise.all([startDev(Object.fromEntries(filesOf(club))), launchBrowser()]);
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await dev?.[Symbol.asyncDispose]();
});

const email = "ann@example.com";

/** Waits for a mail with this purpose and returns its path. */
async function mailed(purpose: string): Promise<string> {
  const find = async (): Promise<string> => {
    const mails = (await (await fetch(at("/mails"))).json()) as readonly StoredMail[];
    return mails.find((mail) => mail.purpose === purpose)?.path ?? "";
  };
  await expect.poll(find).not.toBe("");
  return find();
}

/** Checks a copy of the page with axe, because the page's own policy blocks injected scripts. */
async function expectAccessible(): Promise<void> {
  const copy = await page.content();
  const other = await browser.newPage();
  await other.setContent(copy);
  const problems = await accessibilityProblems(other);
  await other.close();
  expect(problems).toEqual([]);
}

async function fill(label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
}

async function click(button: string): Promise<void> {
  await page.getByRole("button", { name: button, exact: true }).click();
}

async function expectHeading(text: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: text }).waitFor();
}

async function signIn(password: string): Promise<void> {
  await page.goto(at("/_fw/signin?next=/"));
  await fill("Email", email);
  await fill("Password", password);
  await click("Sign in");
}

test("a person signs up, forgets the password, sets up a second factor and signs out everywhere", async () => {
  await page.goto(at("/_fw/signin?next=/"));
  await page.getByRole("link", { name: "Create an account" }).click();
  await expectHeading("Create an account");
  await expectAccessible();
  await fill("Email", email);
  await page.keyboard.press("Enter");
  await expectHeading("Check your mail");
  await expectAccessible();

  await page.goto(at(await mailed("sign-up")));
  await expectHeading("Choose a password");
  await expectAccessible();
  await fill("New password", "correct horse");
  await fill("Name (optional)", "Ann");
  await click("Create the account");
  await page.waitForURL(at("/"));
  expect(await page.locator("#who").textContent()).toBe(email);

  await page.goto(at("/_fw/account"));
  await expectHeading("Your account");
  await expectAccessible();
  await click("Sign out");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expectAccessible();
  await fill("Email", email);
  await click("Send the link");
  await expectHeading("Check your mail");

  await page.goto(at(await mailed("reset")));
  await fill("New password", "battery staple");
  await click("Set the password");
  await page.waitForURL(at("/_fw/signin"));
  await page.goto(at(await mailed("reset")));
  await expectHeading("This link does not work");
  await expectAccessible();

  await signIn("battery staple");
  await page.waitForURL(at("/"));
  await page.goto(at("/_fw/account"));
  const setUp = page.locator("section", { hasText: "Set up a second factor" });
  await setUp.getByLabel("Current password").fill("wrong");
  await setUp.getByRole("button").click();
  expect(await page.getByRole("alert").textContent()).toBe("that is not your password");
  await expectAccessible();
  await setUp.getByLabel("Current password").fill("battery staple");
  await setUp.getByRole("button").click();
  await expectHeading("Set up a second factor");
  await expectAccessible();
  const key = (await page.locator("code").textContent()) ?? "";
  await fill("Code", codeOfKey(key, Date.now()));
  await click("Turn on");
  await expectHeading("Your recovery codes");
  await expectAccessible();
  const recovery = (await page.locator("li code").first().textContent()) ?? "";
  await page.getByRole("link", { name: "I have stored them" }).click();
  await click("Sign out");

  await signIn("battery staple");
  await expectHeading("One more step");
  await expectAccessible();
  await fill("Code", "000000x");
  await click("Sign in");
  expect(await page.getByRole("alert").textContent()).toBe("that code is not valid");
  await expectAccessible();
  await fill("Code", recovery);
  await click("Sign in");
  await page.waitForURL(at("/"));

  const elsewhere = await fetch(at("/_fw/api/session"), {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/130.0" },
    body: JSON.stringify({ email, password: "battery staple" }),
  });
  const { details } = (await elsewhere.json()) as { readonly details: { readonly challenge: string } };
  await fetch(at("/_fw/api/session"), {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/130.0" },
    // Uses the code of the next time step, because the current one has been used.
    body: JSON.stringify({ challenge: details.challenge, code: codeOfKey(key, Date.now() + 30_000) }),
  });
  await page.goto(at("/_fw/account"));
  await page.getByText("Firefox on Windows").waitFor();
  await expectAccessible();
  await click("Sign out everywhere");
  await page.waitForURL(at("/_fw/signin"));
  expect(await page.getByText("You are signed in").count()).toBe(0);
});
