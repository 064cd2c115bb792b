import { API, Errorf, blob } from "fw";
import type { Int, Path, Query } from "fw";
import { createHash } from "node:crypto";
import * as store from "./store.ts";

export interface ListNotes {
  q?: Query;
  tag?: Query;
  limit?: Query<Int>;
  /** `next` of the page before. */
  after?: Query;
}
export const listNotes = API("GET /api/notes", (ctx, req: ListNotes) =>
  store.list(ctx, req.q, req.tag, req.after, req.limit),
);

export interface NoteRef {
  slug: Path;
}
export const getNote = API("GET /api/notes/{slug}", async (ctx, { slug }: NoteRef) => {
  return shown(await store.read(ctx, slug));
});

/** The note's markdown, with a validator so that an unchanged note is not sent twice. */
export const getMarkdown = API("GET /api/notes/{slug}/markdown", async (ctx, { slug }: NoteRef) => {
  const note = await store.read(ctx, slug);
  const text = `# ${note.title}\n\n${note.body}\n`;
  const etag = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return blob(text, { type: "text/markdown; charset=utf-8", etag });
});

export interface NoteText {
  title: string;
  body: string;
}
export const createNote = API("POST /api/notes", async (ctx, req: NoteText) => {
  const note = await store.create(ctx, titled(req.title), req.body);
  ctx.log.info("note created", { slug: note.slug });
  return shown(note);
});

export const updateNote = API("PUT /api/notes/{slug}", async (ctx, req: NoteRef & NoteText) =>
  shown(await store.update(ctx, req.slug, titled(req.title), req.body)),
);

export const deleteNote = API("DELETE /api/notes/{slug}", (ctx, { slug }: NoteRef) => store.remove(ctx, slug));

function titled(title: string): string {
  if (title.trim() === "") throw Errorf(422, "a note needs a title");
  return title;
}

/** The words are there for the search alone. */
function shown({ slug, title, body, tags, updated }: store.Note): Omit<store.Note, "words"> {
  return { slug, title, body, tags, updated };
}
