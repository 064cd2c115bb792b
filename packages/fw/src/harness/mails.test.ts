import * as fc from "fast-check";
import { expect, test } from "vitest";
import { transaction } from "../declare/entity.ts";
import { HTML } from "../declare/html.ts";
import { Mail, type MailMessage } from "../declare/mail.ts";
import { Queue } from "../declare/queue.ts";
import { escapeHTML } from "../lib/html.ts";
import { tries } from "../lib/testing/tries.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { destination } from "../runtime/testing/background.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";

const mails = Queue<MailMessage>("mails");
const document = (name: string): HTML =>
  new HTML(`<title>Welcome, ${escapeHTML(name)}</title><p>Your first visit is free, ${escapeHTML(name)}.</p>`, true);
const welcome = Mail("welcome", (_ctx, { name }: { name: string }) => document(name), { queue: mails });
const untitled = Mail("untitled", () => new HTML("<p>A mail</p>", true), { queue: mails });
const bundle: Bundle = {
  ...bundleOf([]),
  keepsData: true,
  destinations: [destination(mails)],
  mails: [
    { declaration: welcome as never, name: "welcome" },
    { declaration: untitled as never, name: "untitled" },
  ],
};
const newTestApp = testApps(async () => ({ default: bundle }));

test("a mail is sent with its transaction, with the title of its document as subject and its text without markup", async () => {
  await using app = await newTestApp();
  const send = (name: string, then: () => void = () => {}): Promise<void> =>
    transaction(app.ctx(), async (tx) => {
      await welcome.send(tx, { name }, { to: { name, address: "ann@example.com" } });
      then();
    });
  await send("Ann & Co");
  const failing = send("Eve", () => {
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(app.mails).toEqual([
    {
      mail: "welcome",
      to: { name: "Ann & Co", address: "ann@example.com" },
      subject: "Welcome, Ann & Co",
      text: "Your first visit is free, Ann & Co.",
      html: document("Ann & Co").text,
    },
  ]);
  expect(app.sent(mails)).toEqual(app.mails);
});

test("neither a name nor an address begins another header or names another recipient", async () => {
  await using app = await newTestApp();
  const names = fc.string({
    unit: fc.constantFrom("\r", "\n", "\0", "\u0085", "\u2028", "\t", ":", "B", "<", ",", "é"),
  });
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      await welcome.send(app.ctx(), { name }, { to: { name, address: "ann@example.com" } });
      const mail = app.mails.at(-1);
      for (const header of [mail?.subject, mail?.to.name]) expect(header).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }),
    { numRuns: tries(50) },
  );
  for (const to of [
    "a@x.example, b@y.example",
    "a@x.example\r\nBcc: b@y.example",
    "<a@x.example>",
    "Ann <a@x.example>",
    "",
  ])
    await expect(welcome.send(app.ctx(), { name: "Ann" }, { to })).rejects.toMatchObject({ status: 400 });
});

test("a mail without a title is refused with what to add", async () => {
  await using app = await newTestApp();
  await expect(untitled.send(app.ctx(), undefined, { to: "ann@example.com" })).rejects.toThrow(
    "mail untitled: its document has no <title>, which is the subject",
  );
  await expect(untitled.render(app.ctx(), undefined)).rejects.toThrow("no <title>");
});
