import { newTestApp, type SignedIn, type TestApp } from "fw/testing";
import { expect, test } from "vitest";
import { createNote, deleteNote, getNote, listNotes, updateNote } from "./api.ts";
import { Editor } from "./auth.ts";
import { mails } from "./mail.ts";

const soup = { title: "Onion tart", body: "Six onions. #kitchen" };

function signIn(app: TestApp): { ann: SignedIn; bob: SignedIn; eve: SignedIn } {
  const ann = app.signIn({ email: "ann@example.com", name: "Ann" });
  const bob = app.signIn({ email: "bob@example.com" });
  const eve = app.signIn({ email: "eve@example.com", roles: [Editor] });
  return { ann, bob, eve };
}

test("everybody reads the notes that come with the example, and public notes", async () => {
  await using app = await newTestApp();
  const { ann } = signIn(app);
  await createNote.call(app.ctx(ann), soup);
  const { notes } = await listNotes.call(app.ctx(), {});
  expect(notes.map(({ title }) => title)).toContain("Onion soup");
  expect(await getNote.call(app.ctx(), { slug: "onion-tart" })).toMatchObject({ author: "Ann", tags: ["kitchen"] });
});

test("nobody writes without signing in", async () => {
  await using app = await newTestApp();
  await expect(createNote.call(app.ctx(), soup)).rejects.toMatchObject({ status: 401 });
  expect((await app.fetch("/api/notes", { method: "POST", body: soup })).status).toBe(401);
  expect((await app.fetch("/new", { headers: { accept: "text/html" } })).status).toBe(401);
});

test("who has not confirmed an address reads and does not write", async () => {
  await using app = await newTestApp();
  const zoe = app.signIn({ email: "zoe@example.com", provider: "email", emailVerified: false });
  const refused = await app.fetch("/api/notes", { method: "POST", as: zoe, body: soup });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({ error: "confirm your email address before you write" });
  expect(await (await app.fetch("/new", { as: zoe })).text()).toContain("Confirm your address first");
  expect((await app.fetch("/", { as: zoe })).status).toBe(200);
});

test("authors and editors change a note, and nobody else does", async () => {
  await using app = await newTestApp();
  const { ann, bob, eve } = signIn(app);
  const { slug } = await createNote.call(app.ctx(ann), soup);
  const rename = (as: SignedIn, title: string) => updateNote.call(app.ctx(as), { slug, title, body: "" });
  await expect(rename(bob, "Bob was here")).rejects.toMatchObject({ status: 403 });
  await expect(deleteNote.call(app.ctx(bob), { slug })).rejects.toMatchObject({ status: 403 });
  expect(await rename(ann, "Tart")).toMatchObject({ title: "Tart", author: "Ann" });
  expect(await rename(eve, "Onion tart, improved")).toMatchObject({ title: "Onion tart, improved", author: "Ann" });
  await deleteNote.call(app.ctx(ann), { slug });
  await expect(getNote.call(app.ctx(ann), { slug })).rejects.toMatchObject({ status: 404 });
});

test("the buttons to change a note are shown to who may press them", async () => {
  await using app = await newTestApp();
  const { ann, bob } = signIn(app);
  await createNote.call(app.ctx(ann), soup);
  const page = async (as?: SignedIn): Promise<string> =>
    (await app.fetch("/n/onion-tart", as === undefined ? {} : { as })).text();
  expect(await page(ann)).toContain("/n/onion-tart/edit");
  expect(await page(bob)).not.toContain("/n/onion-tart/edit");
  expect(await page()).toContain("/_fw/signin?next=%2Fn%2Fonion-tart");
});

test("a private note does not exist for others, not for editors either", async () => {
  await using app = await newTestApp();
  const { ann, bob, eve } = signIn(app);
  const { slug } = await createNote.call(app.ctx(ann), { ...soup, private: true });
  for (const who of [bob, eve]) {
    await expect(getNote.call(app.ctx(who), { slug })).rejects.toMatchObject({ status: 404 });
    await expect(updateNote.call(app.ctx(who), { slug, ...soup })).rejects.toMatchObject({ status: 404 });
  }
  const titles = async (as: SignedIn, mine: boolean): Promise<string[]> =>
    (await listNotes.call(app.ctx(as), { mine, q: "tart" })).notes.map(({ title }) => title);
  expect(await titles(ann, true)).toEqual(["Onion tart"]);
  expect(await titles(ann, false)).toEqual([]);
  expect(await titles(eve, false)).toEqual([]);
});

test("whether a note is private is its author's to say, and stays as it is where nobody says", async () => {
  await using app = await newTestApp();
  const { ann, eve } = signIn(app);
  const { slug } = await createNote.call(app.ctx(ann), soup);
  expect(await updateNote.call(app.ctx(eve), { slug, ...soup, private: true })).toMatchObject({ private: false });
  expect(await updateNote.call(app.ctx(ann), { slug, ...soup, private: true })).toMatchObject({ private: true });
  expect(await updateNote.call(app.ctx(ann), { slug, ...soup })).toMatchObject({ private: true });
  const unticked = { title: "Tart", body: "" };
  await app.submit(`/n/${slug}/edit`, unticked, { as: ann });
  expect(await getNote.call(app.ctx(), { slug })).toMatchObject({ private: false });
});

test("a private note is shared with an address, by its author, who is told once", async () => {
  await using app = await newTestApp();
  const { ann, bob, eve } = signIn(app);
  const { slug } = await createNote.call(app.ctx(ann), { ...soup, private: true });
  const share = (as: SignedIn) =>
    app.submit(`/n/${slug}/share`, { email: "Bob@example.com " }, { as, from: as === ann ? `/n/${slug}` : "/new" });
  expect((await share(eve)).status).toBe(404);
  expect([(await share(ann)).status, (await share(ann)).status]).toEqual([303, 303]);
  expect(await getNote.call(app.ctx(bob), { slug })).toMatchObject({ title: "Onion tart" });
  await expect(updateNote.call(app.ctx(bob), { slug, ...soup })).rejects.toMatchObject({ status: 403 });
  expect((await share(bob)).status).toBe(403);
  expect(app.sent(mails)).toEqual([
    { to: "bob@example.com", subject: "Onion tart", text: "Ann shares a note with you: /n/onion-tart" },
  ]);
});

test("a form without a title is shown again, with what was typed", async () => {
  await using app = await newTestApp();
  const { ann } = signIn(app);
  const answer = await app.submit("/new", { title: " ", body: "kept" }, { as: ann });
  const text = await answer.text();
  expect(answer.status).toBe(422);
  expect(text).toContain("A note needs a title.");
  expect(text).toContain("kept</textarea>");
});
