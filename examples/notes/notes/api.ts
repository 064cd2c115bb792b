import { API, Errorf, blob, type Int, type Path, type Query } from "fw";
import { createHash } from "node:crypto";
import { removeFiles } from "./attachments.ts";
import { CanWrite } from "./auth.ts";
import { authorOf, type Draft, type Note } from "./note.ts";
import * as store from "./notes.ts";

export interface ListNotes {
  q?: Query;
  tag?: Query;
  mine?: Query<boolean>;
  limit?: Query<Int>;
  /** The `next` value from the previous page. */
  after?: Query;
}
export const listNotes = API("GET /api/notes", (ctx, req: ListNotes) => store.list(ctx, req, req.after, req.limit));

export interface NoteRef {
  slug: Path;
}
export const getNote = API("GET /api/notes/{slug}", async (ctx, { slug }: NoteRef) => {
  return shown(await store.read(ctx, slug));
});

/** Returns the note's markdown, with an ETag so that an unchanged note is not sent again. */
export const getMarkdown = API("GET /api/notes/{slug}/markdown", async (ctx, { slug }: NoteRef) => {
  const note = await store.read(ctx, slug);
  const text = `# ${note.title}\n\n${note.body}\n`;
  const etag = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return blob(text, { type: "text/markdown; charset=utf-8", etag });
});

export interface NoteText {
  title: string;
  body: string;
  private?: boolean;
}
export const createNote = API(
  "POST /api/notes",
  async (ctx, req: NoteText) => {
    const note = await store.create(ctx, authorOf(ctx.user()), titled(req));
    ctx.log.info("note created", { slug: note.slug });
    return shown(note);
  },
  { allow: CanWrite },
);

export const updateNote = API(
  "PUT /api/notes/{slug}",
  async (ctx, { slug, ...draft }: NoteRef & NoteText) => shown(await store.update(ctx, slug, titled(draft))),
  { allow: CanWrite },
);

export const deleteNote = API(
  "DELETE /api/notes/{slug}",
  async (ctx, { slug }: NoteRef): Promise<void> => removeFiles(ctx, await store.remove(ctx, slug)),
  { signIn: true },
);

function titled(draft: Draft): Draft {
  if (draft.title.trim() === "") throw Errorf(422, "a note needs a title");
  return draft;
}

function shown({ slug, title, body, author, public: isPublic, tags, updated }: Note) {
  return { slug, title, body, author, private: !isPublic, tags, updated };
}
