import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { Host } from "./auth.ts";
import { listEntries } from "./entries.ts";
import { sign } from "./pages.ts";

test("a signed-in user can sign the guestbook and gets a thank-you mail", async () => {
  await using app = await newTestApp();
  const ann = app.signIn({ email: "ann@example.com" });
  await sign.call(app.ctx(ann), { text: "<b>hello</b>" });
  await app.drain();
  const page = await app.fetch("/");
  assert.match(await page.text(), /&lt;b&gt;hello&lt;\/b&gt;/);
  assert.deepEqual(app.logs.find(({ message }) => message === "would send a thank-you mail")?.fields, {
    to: "ann@example.com",
  });
});

test("signing requires sign-in, and only hosts can remove entries", async () => {
  await using app = await newTestApp();
  const ann = app.signIn({ email: "ann@example.com" });
  const host = app.signIn({ email: "holly@example.com", roles: [Host] });
  await assert.rejects(async () => sign.call(app.ctx(), { text: "hello" }), { status: 401 });
  await sign.call(app.ctx(ann), { text: "hello" });
  const [entry] = (await listEntries.call(app.ctx(), {})).items;
  const entryPath = `/api/entries/${entry?.id}`;
  assert.equal((await app.fetch(entryPath, { method: "DELETE", as: ann })).status, 403);
  assert.equal((await app.fetch(entryPath, { method: "DELETE", as: host })).status, 204);
});
