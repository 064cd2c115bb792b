import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { shownFiles } from "./support/markdown.ts";
import { startSMTPSink, type SMTPSink } from "./support/smtp-sink.ts";

// The worker of docs/mail.md, and a mail server of this machine.
const guide = readFileSync(new URL("../docs/mail.md", import.meta.url), "utf8");
const nodemailer = fileURLToPath(new URL("../node_modules/nodemailer", import.meta.url));

let sink: SMTPSink;
let dev: Dev;
beforeAll(async () => {
  sink = await startSMTPSink();
  const root = writeApplication({
    ...shownFiles(guide),
    ".env": `SMTP_URL=${sink.url}\n`,
    "club/public/templates/messages/en.json": "{}",
    "club/public/templates/messages/de.json": "{}",
  });
  symlinkSync(nodemailer, join(root, "node_modules/nodemailer"));
  dev = launchDev(root, ["--services"]);
  await dev.says("http://localhost:");
});
afterAll(async () => {
  await dev[Symbol.asyncDispose]();
  await sink[Symbol.asyncDispose]();
});

async function joinClub(member: object): Promise<number> {
  const answer = await fetch(`http://localhost:${dev.port}/members`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(member),
  });
  await answer.text();
  return answer.status;
}

const decodedBody = (body: string): string => body.replaceAll("=\r\n", "").replaceAll("=3D", "=");

test("the worker of the guide sends a mail that its template renders, in the language of the message", async () => {
  expect(await joinClub({ to: "ann@example.com", name: "Ann", language: "de-CH" })).toBe(204);
  const { from, to, headers, body } = await sink.next();
  expect([from, to]).toEqual(["<club@example.com>", ["<ann@example.com>"]]);
  expect(headers).toContain("Subject: Welcome, Ann\r\n");
  expect(headers).toMatch(/Message-ID: <[\w-]+@club\.example\.com>/);
  expect(decodedBody(body)).toContain('<html lang="de">');
  expect(decodedBody(body)).toContain("<h1>Welcome, Ann</h1>");
});

test("a name adds no header, no recipient and no markup, and an address is one address", async () => {
  const name = `Eve\r\nBcc: evil@example.com\r\n\r\n<b>"</b> <x@y.example>,`;
  expect(await joinClub({ to: "eve@example.com", name, language: "en" })).toBe(204);
  const { to, headers, body } = await sink.next();
  expect(to).toEqual(["<eve@example.com>"]);
  expect(headers).not.toMatch(/^Bcc:/im);
  expect(headers.match(/^To:/gim)).toHaveLength(1);
  expect(decodedBody(body)).not.toContain('<b>"</b></h1>');
  expect(decodedBody(body)).toContain("&lt;b&gt;&quot;&lt;/b&gt;");
  const addresses = [
    "a@x.example, b@y.example",
    "a@x.example>\r\nRCPT TO:<b@y.example",
    "a@x.example\r\nBcc: b@y.example",
    "<a@x.example>",
    "",
  ];
  for (const address of addresses) expect(await joinClub({ to: address, name: "Eve", language: "en" })).toBe(400);
});

test.each([["in one process"], ["as services", "--services"]])(
  "the console %s shows the mails that were sent, without their scripts, to its own page only",
  async (_name, ...args) => {
    const root = writeApplication({ ...shownFiles(guide), ".env": `SMTP_URL=${sink.url}\n` });
    symlinkSync(nodemailer, join(root, "node_modules/nodemailer"));
    await using app = launchDev(root, args);
    await app.says("http://localhost:");
    const url = `http://localhost:${app.port}`;
    for (const name of ["Ann", "<img src=x onerror=alert(1)>"])
      await fetch(`${url}/members`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ to: "ann@example.com", name, language: "en" }),
      });
    await using browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    await page.goto(`${url}/_fw/console#mails`);
    await page.getByRole("button", { name: "Welcome, <img" }).waitFor();
    await page.getByRole("button", { name: "Welcome, Ann" }).click();
    await page.frameLocator("iframe.mail").getByRole("heading", { name: "Welcome, Ann" }).waitFor();
    expect(await page.locator("main pre").textContent()).toContain("Your first visit is free.");
    expect(await page.locator("main .links a").getAttribute("href")).toBe("https://club.example.com/visit?by=Ann");
    if (process.env["FW_PICTURES"] !== undefined)
      await page.screenshot({ path: join(process.env["FW_PICTURES"], `mails-${args.length}.png`) });
    const source = (await page.locator("iframe.mail").getAttribute("src")) ?? "";
    const answer = await fetch(url + source);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("content-security-policy")).not.toContain("script-src");
    // A page of the application cannot read the links in mails.
    await page.goto(`${url}/missing`);
    expect(await page.evaluate(`fetch(${JSON.stringify(source)}).then(({ status }) => status)`)).toBe(404);
    expect((await fetch(`${url}/_fw/console/mails/unknown`)).status).toBe(404);
  },
);
