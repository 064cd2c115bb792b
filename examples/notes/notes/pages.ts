import { Page, Redirect, Site, StatusPage } from "fw";
import type { Form, Path, Query } from "fw";
import * as store from "./store.ts";

export const site = Site("./web", {
  build: { command: "node assets.mjs", out: "./web" },
  redirects: { "/notes": "/", "/index.html": "/" },
  notFound: "404.html",
});

export interface Home {
  q?: Query;
  tag?: Query;
  after?: Query;
}
export const home = Page("GET /", async (ctx, req: Home) => {
  const [{ notes, next }, count] = await Promise.all([
    store.list(ctx, req.q, req.tag, req.after),
    store.count(ctx, req.tag),
  ]);
  const older = next === undefined ? undefined : addressOf({ ...req, after: next });
  const data = { notes: notes.map(card), q: req.q ?? "", tag: req.tag, count, older };
  return ctx.isHTMX ? site.fragment(ctx, "list.html", data) : site.render(ctx, "home.html", data);
});

export interface NoteRef {
  slug: Path;
}
export const show = Page("GET /n/{slug}", async (ctx, { slug }: NoteRef) => {
  const note = await store.read(ctx, slug);
  return site.render(ctx, "note.html", { ...note, updated: day(note.updated) });
});

export interface NoteForm {
  title: Form;
  body: Form;
}
export const newNote = Page("GET /new", (ctx) =>
  site.render(ctx, "edit.html", { action: "/new", heading: "New note", title: "", body: "" }),
);

export const createNote = Page("POST /new", async (ctx, req: NoteForm) => {
  if (req.title.trim() === "") {
    return site.render(ctx, "edit.html", {
      action: "/new",
      heading: "New note",
      ...req,
      problem: "A note needs a title.",
    });
  }
  const note = await store.create(ctx, req.title, req.body);
  return Redirect(`/n/${note.slug}`);
});

export const edit = Page("GET /n/{slug}/edit", async (ctx, { slug }: NoteRef) => {
  const note = await store.read(ctx, slug);
  return site.render(ctx, "edit.html", { ...note, action: `/n/${slug}/edit`, heading: "Edit note" });
});

export const saveNote = Page("POST /n/{slug}/edit", async (ctx, req: NoteRef & NoteForm) => {
  const action = `/n/${req.slug}/edit`;
  if (req.title.trim() === "") {
    return site.render(ctx, "edit.html", { ...req, action, heading: "Edit note", problem: "A note needs a title." });
  }
  await store.update(ctx, req.slug, req.title, req.body);
  return Redirect(`/n/${req.slug}`);
});

export const deleteNote = Page("POST /n/{slug}/delete", async (ctx, { slug }: NoteRef) => {
  await store.remove(ctx, slug);
  return Redirect("/");
});

/** What the editor shows beside the text while one types. */
export const preview = Page("POST /preview", (ctx, req: { body: Form }) => site.fragment(ctx, "preview.html", req));

export const about = Page("GET /about", (ctx) => site.render(ctx, "about.html"), { maxAge: "10m" });

export const status = StatusPage((ctx, refusal) => site.render(ctx, "status.html", refusal));

function addressOf(home: Home): string {
  return `/?${new URLSearchParams(Object.entries(home).filter(([, value]) => value !== undefined))}`;
}

function card(note: store.Summary) {
  return { ...note, updated: day(note.updated) };
}

function day(date: Date): string {
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}
