import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { copyOfExample, startDev, type DevServer } from "./support/fw.ts";

const bin = fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url));

let server: DevServer;
let browser: Browser;
let page: Page;
/** The session of bob, an administrator who uses no browser. */
let bob: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([copyOfExample("notes").then(startDev), launchBrowser()]);
  page = await browser.newPage();
  bob = await signIn({ dev_user: "bob", role: ["admin"] });
  await writeAsBob({ title: "Bob’s bread", body: "Rye." });
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

test("alice signs in, is refused on bob's note, becomes an editor, edits it, attaches a file and signs out", async () => {
  await page.goto(server.url);
  await page.locator("#fw-dev-bar summary").click();
  await page.locator("#fw-dev-bar").getByRole("button", { name: "Sign in as alice" }).click();
  await page.locator("header").getByText("Alice").waitFor();
  await page.getByRole("link", { name: "Mine" }).click();
  await expect.poll(() => reloaded(page.getByRole("heading", { name: "Welcome, Alice" }))).toBe(1);

  await page.getByRole("link", { name: "New note" }).click();
  await page.getByLabel("Title").fill("Alice’s apples");
  await page.getByLabel("Text").fill("Cox, **Boskoop**.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Alice’s apples" }).waitFor();

  await page.goto(`${server.url}/n/bob-s-bread`);
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
  expect((await page.goto(`${server.url}/n/bob-s-bread/edit`))?.status()).toBe(403);
  await page.getByRole("heading", { name: "Not yours to change" }).waitFor();

  expect((await submitAsBob("/admin/accounts/alice/grant")).status).toBe(303);
  await page.goto(`${server.url}/n/bob-s-bread`);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Text").fill("Rye, and caraway.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Rye, and caraway.").waitFor();

  await page.getByRole("link", { name: "Edit" }).click();
  await watchProgress();
  await attach("sourdough.txt", "text/plain", `zymurgy ${"flour water ".repeat(250_000)}`);
  await page.getByRole("link", { name: "sourdough.txt" }).waitFor();
  expect(Math.max(...(await progress()))).toBe(1);
  await expect
    .poll(async () => {
      await page.goto(`${server.url}/?q=zymurgy`);
      return page.locator(".card h2").allTextContents();
    })
    .toEqual(["Bob’s bread"]);
  await page.goto(`${server.url}/n/bob-s-bread`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "sourdough.txt" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("sourdough.txt");

  await page.locator("header").getByRole("button", { name: "Sign out" }).click();
  await page.locator("header").getByRole("link", { name: "Sign in" }).waitFor();
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
});

test("going back to a search that htmx showed is a whole page again", async () => {
  await page.goto(server.url);
  await page.getByPlaceholder("Search notes").fill("Rye");
  await page.waitForURL(`${server.url}/?q=Rye`);
  await page.locator(".card a.cover").getByText("Bob’s bread").click();
  await page.getByRole("heading", { name: "Bob’s bread" }).waitFor();
  await page.goBack();
  await page.getByText("of which these hold “Rye”").waitFor();
  expect([await page.title(), await page.locator("header.bar").count()]).toEqual(["Notes", 1]);
  expect(await page.getByPlaceholder("Search notes").inputValue()).toBe("Rye");
});

test("what cannot be attached is told in a sentence, and what can is removed after a question", async () => {
  await signInAs("alice", "/n/alice-s-apples/edit");
  await attach("setup.exe", "application/x-msdownload", "MZ");
  await page.getByRole("alert").getByText("Attach texts, pictures, sound, films, PDF or zip files.").waitFor();
  await attach("long.txt", "text/plain", "x".repeat(4_000_001));
  await page.getByRole("alert").getByText("This upload is larger than 4000000 bytes.").waitFor();
  await attach("short.txt", "text/plain", "x");
  await page.getByRole("link", { name: "short.txt" }).waitFor();
  expect(await page.getByRole("alert").filter({ visible: true }).count()).toBe(0);

  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.getByRole("button", { name: "Remove short.txt" }).click();
  expect(await page.getByRole("link", { name: "short.txt" }).count()).toBe(1);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Remove short.txt" }).click();
  await page.getByText("None yet.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/n/alice-s-apples/edit");
});

test("everything is done without JavaScript, too", async () => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setScriptExecutionDisabled", { value: true });
  await signInAs("alice", "/new");
  await page.getByLabel("Title").fill("Plain");
  await page.getByLabel("Only for me").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  await attach("plain.txt", "text/plain", "no script");
  await page.getByRole("link", { name: "plain.txt" }).waitFor();
  await page.getByRole("button", { name: "Remove plain.txt" }).click();
  await page.getByText("None yet.").waitFor();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByPlaceholder("Share with an address").fill("bob@example.com");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Shared with bob@example.com").waitFor();
  await devtools.send("Emulation.setScriptExecutionDisabled", { value: false });
  expect(await (await fetchAsBob("/n/plain")).text()).toContain("<h1>Plain</h1>");
});

test("the job and the cron are started by hand while the application runs", async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [bin, "run", ...args], { cwd: server.directory });
  expect((await run("job", "reindex")).stdout).toContain("of reindex has started");
  await expect.poll(async () => (await fetchAsBob("/admin")).text()).toContain("task 1:");
  await run("cron", "sweep");
  await server.printed("attachments of deleted notes removed");
});

async function signIn(body: unknown): Promise<string> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${server.url}/_fw/api/session`, { method: "POST", headers, body: JSON.stringify(body) });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function signInAs(who: string, next: string): Promise<void> {
  await page.goto(`${server.url}/_fw/signin?next=${encodeURIComponent(next)}`);
  await page.getByRole("button", { name: `Sign in as ${who}` }).click();
  await page.waitForURL(server.url + next);
}

function fetchAsBob(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, { ...init, redirect: "manual", headers: { ...init.headers, cookie: bob } });
}

async function writeAsBob(note: { title: string; body: string }): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetchAsBob("/api/notes", { method: "POST", headers, body: JSON.stringify(note) });
  expect(answer.status).toBe(200);
}

async function submitAsBob(path: string): Promise<Response> {
  const text = await (await fetchAsBob("/admin")).text();
  const token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
  return fetchAsBob(path, { method: "POST", body: new URLSearchParams({ _csrf: token }) });
}

async function attach(name: string, mimeType: string, text: string): Promise<void> {
  await page.getByLabel("File").setInputFiles([{ name, mimeType, buffer: Buffer.from(text) }]);
  await page.getByRole("button", { name: "Attach" }).click();
}

async function reloaded(what: ReturnType<Page["getByRole"]>): Promise<number> {
  await page.reload();
  return what.count();
}

/** Records every value of the page's progress bar. */
async function watchProgress(): Promise<void> {
  await page.evaluate(`
    const bar = document.querySelector("progress");
    const watcher = new MutationObserver(() => (bar.dataset.seen = (bar.dataset.seen ?? "") + " " + bar.value));
    watcher.observe(bar, { attributes: true, attributeFilter: ["value"] });`);
}

async function progress(): Promise<number[]> {
  const seen = await page.locator("progress").getAttribute("data-seen");
  return (seen ?? "").trim().split(" ").map(Number);
}
