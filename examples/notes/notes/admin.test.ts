import { newTestApp, type SignedIn, type TestApp } from "fw/testing";
import { expect, test } from "vitest";
import { createNote, listNotes, updateNote } from "./api.ts";
import { Admin, auth } from "./auth.ts";
import { outbox } from "./mail.ts";
import { reindexed } from "./search.ts";

async function adminOf(app: TestApp): Promise<{ as: SignedIn; from: string }> {
  return { as: app.signIn({ email: "root@example.com", roles: [Admin] }), from: "/admin" };
}

test("the admin page is for admins", async () => {
  await using app = await newTestApp();
  const { as } = await adminOf(app);
  const ann = app.signIn({ email: "ann@example.com" });
  expect((await app.fetch("/admin")).status).toBe(401);
  expect((await app.fetch("/admin", { as: ann })).status).toBe(403);
  expect((await app.fetch("/admin", { as })).status).toBe(200);
  expect((await app.submit(`/admin/accounts/${ann.id}/grant`, {}, { as: ann, from: "/new" })).status).toBe(403);
});

test("an editor that was granted the role edits at once, gets a mail, and loses it at once", async () => {
  await using app = await newTestApp();
  const admin = await adminOf(app);
  const ann = app.signIn({ email: "ann@example.com" });
  const bob = app.signIn({ email: "bob@example.com" });
  const { slug } = await createNote.call(app.ctx(ann), { title: "Tart", body: "" });
  const edit = () => updateNote.call(app.ctx(bob), { slug, title: "Tart", body: "More butter." });
  await expect(edit()).rejects.toMatchObject({ status: 403 });
  expect((await app.submit(`/admin/accounts/${bob.id}/grant`, {}, admin)).status).toBe(303);
  await edit();
  await app.drain();
  expect(await outbox.query().all(app.ctx())).toMatchObject([{ to: "bob@example.com", subject: "You are an editor" }]);
  await app.submit(`/admin/accounts/${bob.id}/revoke`, {}, admin);
  await expect(edit()).rejects.toMatchObject({ status: 403 });
});

test("a disabled account is signed out until it is enabled and signs in again", async () => {
  await using app = await newTestApp();
  const admin = await adminOf(app);
  const ann = app.signIn({ email: "ann@example.com" });
  expect((await app.fetch("/new", { as: ann })).status).toBe(200);
  await app.submit(`/admin/accounts/${ann.id}/disable`, {}, admin);
  expect((await app.fetch("/new", { as: ann })).status).toBe(401);
  expect((await app.submit(`/admin/accounts/${admin.as.id}/disable`, {}, admin)).status).toBe(422);
  await app.submit(`/admin/accounts/${ann.id}/enable`, {}, admin);
  const again = app.signIn({ email: "ann@example.com", id: ann.id });
  expect((await app.fetch("/new", { as: again })).status).toBe(200);
});

test("accounts are listed ten a page", async () => {
  await using app = await newTestApp();
  const { as } = await adminOf(app);
  for (let n = 10; n < 22; n += 1) await auth.users.create(app.ctx(), { email: `n${n}@example.com` });
  const pages: string[] = [];
  for (let next: string | undefined = "/admin"; next !== undefined;) {
    const text = await (await app.fetch(next, { as })).text();
    pages.push(text);
    next = /href="(\/admin\?after=[^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  }
  const listed = pages.map((text) => [...text.matchAll(/>(n\d+@example\.com)</g)].map((match) => match[1]));
  expect(pages).toHaveLength(2);
  expect(new Set(listed.flat()).size).toBe(12);
});

test("an invited person is told, once an address", async () => {
  await using app = await newTestApp();
  const admin = await adminOf(app);
  const invitation = { name: "Zoe", email: "zoe@example.com" };
  expect((await app.submit("/admin/accounts", invitation, admin)).status).toBe(303);
  expect(await (await app.submit("/admin/accounts", invitation, admin)).text()).toContain("has an account already");
  await app.drain();
  expect(await (await app.fetch("/admin", { as: admin.as })).text()).toContain("to zoe@example.com");
});

test("whoever signs in for the first time finds a private note", async () => {
  await using app = await newTestApp();
  const browser = app.client();
  const answer = await browser.fetch("/_fw/api/session", { method: "POST", body: { dev_user: "alice" } });
  expect(answer.status).toBe(200);
  await app.drain();
  expect(await (await browser.fetch("/?mine=true")).text()).toContain("Welcome, Alice");
  expect((await listNotes.call(app.ctx(), { q: "welcome" })).notes).toEqual([]);
});

test("the index is rebuilt from the admin page, in two tasks", async () => {
  await using app = await newTestApp();
  const admin = await adminOf(app);
  const { notes } = await listNotes.call(app.ctx(), {});
  expect((await app.submit("/admin/reindex", {}, admin)).status).toBe(303);
  await app.drain();
  const tasks = await reindexed.query().all(app.ctx());
  expect(tasks.map(({ task }) => task)).toEqual([0, 1]);
  expect(tasks.reduce((sum, { indexed }) => sum + indexed, 0)).toBe(notes.length);
  expect(await (await app.fetch("/admin", { as: admin.as })).text()).toContain("task 1:");
});
