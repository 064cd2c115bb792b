import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { shownFiles } from "./support/markdown.ts";
import { startSMTPSink, type SMTPSink } from "./support/smtp-sink.ts";
import { devOptions } from "./support/topologies.ts";

// The worker of docs/mail.md, with a mail server on this machine.
const guide = readFileSync(new URL("../docs/mail.md", import.meta.url), "utf8");
const nodemailer = fileURLToPath(new URL("../node_modules/nodemailer", import.meta.url));

// A mail whose declaration has no sample data, in two languages.
const offer = {
  "club/offer.ts": `import { API, type Int64, Mail, type MaxLength } from "fw";
import { mails, site } from "./mail.ts";

export interface Offer {
  title: string & MaxLength<10>;
  until: Date;
  items: { name: string; price: number }[];
  kind: "sale" | "gift";
}
export const offer = Mail("offer", (ctx, data: Offer) => site.fragment(ctx, "mails/offer.html", data), { queue: mails });
export const announce = API("POST /offers", async (ctx, req: Offer) => {
  await offer.send(ctx, req, { to: "ann@example.com" });
});
export interface Bill {
  number: Int64;
}
export const bill = Mail("bill", (ctx, data: Bill) => site.fragment(ctx, "mails/bill.html", data), {
  queue: mails,
  sample: { number: 9_007_199_254_740_993n },
});
export const charge = API("POST /bills", async (ctx, req: Bill) => {
  await bill.send(ctx, req, { to: "ann@example.com" });
});
`,
  "club/public/templates/mails/bill.html": "<!doctype html>\n<title>Bill {{number}}</title>\n<p>{{number}}</p>\n",
  "club/public/templates/mails/offer.html": `<!doctype html>
<title>{{t "offer"}}: {{title}}</title>
<script>document.title = "ran";</script>
<h1>{{title}}</h1>
<p>{{kind}} until {{date until style="short"}}</p>
{{#each items}}<p>{{name}}, {{price}}</p>{{/each}}
`,
  "club/public/templates/messages/en.json": '{ "offer": "Offer" }',
  "club/public/templates/messages/de.json": '{ "offer": "Angebot" }',
};

let sink: SMTPSink;
let dev: Dev;
beforeAll(async () => {
  sink = await startSMTPSink();
  const root = writeApplication({
    ...shownFiles(guide),
    ".env": `SMTP_URL=${sink.url}\n`,
    ...offer,
  });
  symlinkSync(nodemailer, join(root, "node_modules/nodemailer"));
  dev = launchDev(root, ["--services"]);
  await dev.says("http://localhost:");
});
afterAll(async () => {
  await dev[Symbol.asyncDispose]();
  await sink[Symbol.asyncDispose]();
});

function launchOffers(): Dev {
  const root = writeApplication({ ...shownFiles(guide), ...offer, ".env": `SMTP_URL=${sink.url}\n` });
  symlinkSync(nodemailer, join(root, "node_modules/nodemailer"));
  return launchDev(root, []);
}

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

test.each(devOptions)(
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
    // Pages of the application cannot read the links in mails.
    await page.goto(`${url}/missing`);
    expect(await page.evaluate(`fetch(${JSON.stringify(source)}).then(({ status }) => status)`)).toBe(404);
    expect((await fetch(`${url}/_fw/console/mails/unknown`)).status).toBe(404);
  },
);

test.each(devOptions)(
  "the console %s previews a mail with sample data, with other data and in another language",
  async (_name, ...args) => {
    await using own = args.length === 0 ? launchOffers() : undefined;
    await own?.says("http://localhost:");
    await using browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 }, locale: "en" });
    await page.goto(`http://localhost:${(own ?? dev).port}/_fw/console#mails`);
    const preview = page.getByRole("region", { name: "Preview" });
    await page.getByRole("button", { name: "offer" }).click();
    const frame = page.frameLocator("iframe.mail");
    await frame.getByRole("heading", { name: "title" }).waitFor();
    const data = preview.getByLabel("Data");
    expect(JSON.parse(await data.inputValue())).toEqual({
      title: "title",
      until: "2026-01-31T12:00:00Z",
      items: [
        { name: "name", price: 1 },
        { name: "name", price: 1 },
      ],
      kind: "sale",
    });
    await preview.getByRole("heading", { name: "Offer: title" }).waitFor();
    expect(await preview.locator("pre").textContent()).toContain("sale until 1/31/26");
    expect(await page.locator("iframe.mail").getAttribute("sandbox")).toBe("");

    const render = preview.getByRole("button", { name: "Render" });
    await data.fill('{ "title": "A title that is too long", "until": "soon", "items": [], "kind": "loan" }');
    await render.click();
    const problems = preview.getByRole("list", { name: "Problems" }).getByRole("listitem");
    await problems.first().waitFor();
    expect(await problems.allTextContents()).toEqual([
      "data title: must be at most 10 characters",
      'data until: "soon" is not a date',
      'data kind: "loan" is not a "sale" | "gift"',
    ]);

    await data.fill('{ "title": "<b>Hi</b>", "until": "2027-01-01T00:00:00Z", "items": [], "kind": "gift" }');
    await preview.getByLabel("Language").selectOption("de");
    await render.click();
    await preview.getByRole("heading", { name: "Angebot: <b>Hi</b>" }).waitFor();
    await frame.getByRole("heading", { name: "<b>Hi</b>" }).waitFor();
    if (process.env["FW_PICTURES"] !== undefined)
      await page.screenshot({ path: join(process.env["FW_PICTURES"], `preview-${args.length}.png`) });

    // Shows the declaration's own sample.
    await page.getByRole("button", { name: "welcome", exact: true }).click();
    await preview.getByRole("heading", { name: "Welcome, Ada" }).waitFor();
    expect(JSON.parse(await data.inputValue())).toEqual({ name: "Ada", language: "en" });

    // Shows and edits a sample with an integer that a JavaScript number cannot represent.
    await page.getByRole("button", { name: "bill", exact: true }).click();
    await preview.getByRole("heading", { name: "Bill 9007199254740993" }).waitFor();
    expect(await data.inputValue()).toBe('{\n  "number": 9007199254740993\n}');
    await data.fill('{ "number": 9007199254740995 }');
    await render.click();
    await preview.getByRole("heading", { name: "Bill 9007199254740995" }).waitFor();
  },
);
