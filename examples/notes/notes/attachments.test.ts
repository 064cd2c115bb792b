import { newTestApp, type SignedIn, type TestApp } from "fw/testing";
import { expect, test } from "vitest";
import { createNote, deleteNote, listNotes } from "./api.ts";
import { attachments } from "./attachments.ts";
import { notes } from "./note.ts";
import { startUpload } from "./uploads.ts";

async function noteOf(app: TestApp): Promise<{ ann: SignedIn; slug: string }> {
  const ann = app.signIn({ email: "ann@example.com" });
  const { slug } = await createNote.call(app.ctx(ann), { title: "Tart", body: "" });
  return { ann, slug };
}

/** Uploads a file like the page's script does. */
async function put(app: TestApp, as: SignedIn, slug: string, file: File): Promise<Response> {
  const { url, headers } = await startUpload.call(app.ctx(as), { slug, name: file.name, type: file.type });
  return app.fetch(url, { method: "PUT", headers, body: file });
}

async function keysOf(app: TestApp): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of attachments.list(app.ctx())) keys.push(key.replace(/^[^/]+/, ""));
  return keys;
}

const recipe = new File(["Nutmeg and gruyère."], "recipe.md", { type: "text/markdown" });

test("an upload by signed URL is listed, downloaded, and its words are found", async () => {
  await using app = await newTestApp();
  const { ann, slug } = await noteOf(app);
  expect((await put(app, ann, slug, recipe)).status).toBe(200);
  expect(await (await app.fetch(`/n/${slug}`)).text()).toContain("recipe.md");
  const download = await app.fetch(`/n/${slug}/files/recipe.md`, { redirect: "follow" });
  expect(await download.text()).toBe("Nutmeg and gruyère.");
  await app.drain();
  expect(await keysOf(app)).toEqual(["/files/recipe.md", "/text/recipe.md"]);
  expect((await listNotes.call(app.ctx(), { q: "gruyère nutmeg" })).notes).toMatchObject([{ slug }]);
});

test("the same form attaches a file where there is no script", async () => {
  await using app = await newTestApp();
  const { ann, slug } = await noteOf(app);
  const sent = await app.submit(`/n/${slug}/files`, { file: recipe }, { as: ann, from: `/n/${slug}/edit` });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, `/n/${slug}/edit`]);
  expect(await (await app.fetch(`/n/${slug}/edit`, { as: ann })).text()).toContain("recipe.md");
});

test("what is too large or of no known kind is refused", async () => {
  await using app = await newTestApp();
  const { ann, slug } = await noteOf(app);
  const large = new File(["x".repeat(4_000_001)], "large.txt", { type: "text/plain" });
  expect((await put(app, ann, slug, large)).status).toBe(413);
  const program = new File(["MZ"], "setup.exe", { type: "application/x-msdownload" });
  await expect(put(app, ann, slug, program)).rejects.toMatchObject({ status: 415 });
  expect(await keysOf(app)).toEqual([]);
});

test("only who may change a note attaches to it, and only who may read it downloads", async () => {
  await using app = await newTestApp();
  const { ann, slug } = await noteOf(app);
  const bob = app.signIn({ email: "bob@example.com" });
  await expect(put(app, bob, slug, recipe)).rejects.toMatchObject({ status: 403 });
  await put(app, ann, slug, recipe);
  await notes.update(app.ctx(), slug, (note) => ({ ...note, public: false }));
  expect((await app.fetch(`/n/${slug}/files/recipe.md`, { as: bob })).status).toBe(404);
});

test("an attachment that is removed is neither listed nor found", async () => {
  await using app = await newTestApp();
  const { ann, slug } = await noteOf(app);
  await put(app, ann, slug, recipe);
  await app.drain();
  const headers = { "HX-Request": "true" };
  const path = `/n/${slug}/files/recipe.md/delete`;
  const list = await app.submit(path, {}, { as: ann, from: `/n/${slug}/edit`, headers });
  expect(await list.text()).toContain("None yet.");
  expect(await keysOf(app)).toEqual([]);
  expect((await listNotes.call(app.ctx(), { q: "nutmeg" })).notes).toEqual([]);
});

test("attachments go with their note, and at night what a crash has left", async () => {
  await using app = await newTestApp({ now: new Date("2026-01-01T12:00:00Z") });
  const { ann, slug } = await noteOf(app);
  await put(app, ann, slug, recipe);
  await deleteNote.call(app.ctx(ann), { slug });
  expect(await keysOf(app)).toEqual([]);

  const other = await createNote.call(app.ctx(ann), { title: "Kept", body: "" });
  await put(app, ann, other.slug, recipe);
  await attachments.put(app.ctx(), "of-no-note/files/lost.md", recipe);
  await app.clock.advance("14h");
  expect(await keysOf(app)).toEqual(["/files/recipe.md", "/text/recipe.md", "/files/lost.md"]);
  await app.clock.advance("1h");
  expect(await keysOf(app)).toEqual(["/files/recipe.md", "/text/recipe.md"]);
});
