import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { Host } from "./auth.ts";
import { listEntries } from "./entries.ts";
import { sign } from "./pages.ts";

test("who is signed in signs the guestbook, and is thanked", async () => {
  await using app = await newTestApp();
  const ann = app.signIn({ email: "ann@example.com" });
  await sign.call(app.ctx(ann), { text: "<b>hello</b>" });
  await app.drain();
  const page = await app.fetch("/");
  assert.match(await page.text(), /&lt;b&gt;hello&lt;\/b&gt;/);
  assert.deepEqual(app.logs.find(({ message }) => message === "thanked")?.fields, { to: "ann@example.com" });
});

test("nobody signs without signing in, and only a host removes", async () => {
  await using app = await newTestApp();
  const ann = app.signIn({ email: "ann@example.com" });
  const host = app.signIn({ email: "holly@example.com", roles: [Host] });
  await assert.rejects(async () => sign.call(app.ctx(), { text: "hello" }), { status: 401 });
  await sign.call(app.ctx(ann), { text: "hello" });
  const [entry] = (await listEntries.call(app.ctx(), {})).items;
  const remove = `/api/entries/${entry?.id}`;
  assert.equal((await app.fetch(remove, { method: "DELETE", as: ann })).status, 403);
  assert.equal((await app.fetch(remove, { method: "DELETE", as: host })).status, 204);
});
