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

test("an entry without a name is not stored, and the form says so and keeps the text", async () => {
  await using app = await newTestApp();
  const answer = await app.submit("/", { name: " ", text: "hello" });
  assert.equal(answer.status, 422);
  assert.match(await answer.text(), /must not be blank.*hello/s);
  assert.equal(await entries.query().count(app.ctx()), 0);
});
