import { API, Errorf, blob } from "fw";
import type { Path, Query } from "fw";
import { createHash } from "node:crypto";
import * as store from "./store.ts";

export interface ListNotes {
  q?: Query;
  tag?: Query;
}
export const listNotes = API("GET /api/notes", async (_ctx, req: ListNotes) => ({
  notes: await store.list(req.q, req.tag),
}));

export interface NoteRef {
  slug: Path;
}
export const getNote = API("GET /api/notes/{slug}", (_ctx, { slug }: NoteRef) => store.read(slug));

/** The note's markdown, with a validator so that an unchanged note is not sent twice. */
export const getMarkdown = API("GET /api/notes/{slug}/markdown", async (_ctx, { slug }: NoteRef) => {
  const note = await store.read(slug);
  const text = `# ${note.title}\n\n${note.body}\n`;
  const etag = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return blob(text, { type: "text/markdown; charset=utf-8", etag });
});

export interface NoteText {
  title: string;
  body: string;
}
export const createNote = API("POST /api/notes", async (ctx, req: NoteText): Promise<store.Note> => {
  const note = await store.create(titled(req.title), req.body);
  ctx.log.info("note created", { slug: note.slug });
  return note;
});

export const updateNote = API("PUT /api/notes/{slug}", (_ctx, req: NoteRef & NoteText) =>
  store.update(req.slug, titled(req.title), req.body),
);

export const deleteNote = API("DELETE /api/notes/{slug}", (_ctx, { slug }: NoteRef) => store.remove(slug));

function titled(title: string): string {
  if (title.trim() === "") throw Errorf(422, "a note needs a title");
  return title;
}
