import { flash, Invalid, Page, Redirect, type Context, type Form, type HTML, type Path, type Query } from "fw";
import { filesOf, removeFiles } from "./attachments.ts";
import { CanWrite, visitor } from "./auth.ts";
import { authorOf, isOwner, mayChange } from "./note.ts";
import * as store from "./notes.ts";
import { site } from "./site.ts";
import { day } from "./text.ts";

export interface Home {
  q?: Query;
  tag?: Query;
  mine?: Query<boolean>;
  after?: Query;
}
export const home = Page("GET /", async (ctx, req: Home) => {
  const { notes, next } = await store.list(ctx, req, req.after);
  const count = await store.count(ctx, req);
  const who = visitor(ctx, "/");
  const older = next === undefined ? undefined : addressOf({ ...req, after: next });
  const { q = "", tag, mine = false } = req;
  const data = { notes: notes.map(card), q, tag, mine: mine && who.name !== "", count, older, who };
  return ctx.wantsFragment ? site.fragment(ctx, "list.html", data) : site.render(ctx, "home.html", data);
});

export interface NoteRef {
  slug: Path;
}
export const show = Page("GET /n/{slug}", async (ctx, { slug }: NoteRef) => {
  const note = await store.read(ctx, slug);
  const user = ctx.maybeUser();
  return site.render(ctx, "note.html", {
    ...note,
    updated: day(note.updated),
    files: await filesOf(ctx, note),
    mayChange: mayChange(note, user),
    mayShare: isOwner(note, user),
    who: visitor(ctx, `/n/${slug}`),
  });
});

export interface NoteForm {
  title: Form;
  body: Form;
  private?: Form<boolean>;
}
export const writeNote = Page("GET /new", (ctx) => newNotePage(ctx, { title: "", body: "" }), { allow: CanWrite });

export const createNote = Page(
  "POST /new",
  async (ctx, req: NoteForm) => {
    requireTitle(req);
    const note = await store.create(ctx, authorOf(ctx.user()), req);
    return Redirect(`/n/${note.slug}`);
  },
  { allow: CanWrite, invalid: (ctx, input) => newNotePage(ctx, { ...input, private: input.private !== "" }) },
);

export const editNote = Page(
  "GET /n/{slug}/edit",
  async (ctx, { slug }: NoteRef) => {
    const note = await store.readToChange(ctx, slug);
    return editPage(ctx, slug, { ...note, private: !note.public });
  },
  { allow: CanWrite },
);

export const saveNote = Page(
  "POST /n/{slug}/edit",
  async (ctx, { slug, ...draft }: NoteRef & NoteForm) => {
    requireTitle(draft);
    await store.update(ctx, slug, { ...draft, private: draft.private ?? false });
    flash(ctx, "Saved.");
    return Redirect(`/n/${slug}`);
  },
  {
    allow: CanWrite,
    invalid: (ctx, { slug, ...draft }) => editPage(ctx, slug, { ...draft, private: draft.private !== "" }),
  },
);

export const deleteNote = Page(
  "POST /n/{slug}/delete",
  async (ctx, { slug }: NoteRef) => {
    const note = await store.remove(ctx, slug);
    await removeFiles(ctx, note);
    return Redirect("/");
  },
  { signIn: true },
);

/** Renders the editor's live preview. */
export const preview = Page("POST /preview", (ctx, req: { body: Form }) => site.fragment(ctx, "preview.html", req));

function requireTitle({ title }: NoteForm): void {
  if (title.trim() === "") throw Invalid({ title: "A note needs a title." });
}

function newNotePage(ctx: Context, draft: NoteForm): HTML {
  const who = visitor(ctx, "/new");
  const [action, back, heading] = ["/new", "/", "New note"];
  return site.render(ctx, "edit.html", { ...draft, action, back, heading, mayHide: true, who });
}

async function editPage(ctx: Context, slug: string, draft: NoteForm): Promise<HTML> {
  const note = await store.readToChange(ctx, slug);
  const back = `/n/${slug}`;
  return site.render(ctx, "edit.html", {
    ...draft,
    slug,
    action: `${back}/edit`,
    back,
    heading: "Edit note",
    files: await filesOf(ctx, note),
    mayHide: isOwner(note, ctx.user()),
    who: visitor(ctx, back),
  });
}

function addressOf(home: Home): string {
  const given = Object.entries(home).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return `/?${new URLSearchParams(pairs).toString()}`;
}

function card(note: store.Summary) {
  return { ...note, updated: day(note.updated) };
}
