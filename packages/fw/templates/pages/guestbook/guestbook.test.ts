import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { entries, sign } from "./guestbook.ts";

test("a new entry appears on the page, with its markup escaped", async () => {
  await using app = await newTestApp();
  await sign.call(app.ctx(), { name: "Ann", text: "<b>hello</b>" });
  const page = await app.fetch("/");
  assert.match(await page.text(), /&lt;b&gt;hello&lt;\/b&gt;/);
});

test("an entry without a name is rejected with 422 and not stored", async () => {
  await using app = await newTestApp();
  await assert.rejects(async () => sign.call(app.ctx(), { name: "", text: "hello" }), { status: 422 });
  assert.equal(await entries.query().count(app.ctx()), 0);
});
