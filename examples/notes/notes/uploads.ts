import { API, Page, Redirect, type Blob, type Context, type Form, type Path, type PageResult } from "fw";
import { filesOf, keep, removeFile, signDownload, signUpload } from "./attachments.ts";
import { CanWrite } from "./auth.ts";
import type { Note } from "./note.ts";
import { read, readToChange } from "./notes.ts";
import { indexNote } from "./search.ts";
import { site } from "./site.ts";

export interface NewUpload {
  slug: Path;
  name: string;
  type: string;
}
/** Creates a URL for the page's script to upload a file directly to the object store. */
export const startUpload = API(
  "POST /api/notes/{slug}/attachments",
  async (ctx, { slug, name, type }: NewUpload) => signUpload(ctx, await readToChange(ctx, slug), name, type),
  { allow: CanWrite },
);

export interface Upload {
  slug: Path;
  file: Form<Blob>;
}
/** Receives the same form if the browser does not run scripts. */
export const upload = Page(
  "POST /n/{slug}/files",
  async (ctx, { slug, file }: Upload) => {
    await keep(ctx, await readToChange(ctx, slug), file.name ?? "", file);
    return Redirect(`/n/${slug}/edit`);
  },
  { allow: CanWrite },
);

/** Renders the editor's attachment list after an upload. */
export const files = Page(
  "GET /n/{slug}/files",
  async (ctx, { slug }: { slug: Path }) => fileList(ctx, await readToChange(ctx, slug)),
  { signIn: true },
);

export interface FileRef {
  slug: Path;
  name: Path;
}
export const download = Page("GET /n/{slug}/files/{name}", async (ctx, { slug, name }: FileRef) => {
  const { url } = await signDownload(ctx, await read(ctx, slug), name);
  return Redirect(url);
});

export const deleteFile = Page(
  "POST /n/{slug}/files/{name}/delete",
  async (ctx, { slug, name }: FileRef) => {
    const note = await readToChange(ctx, slug);
    await removeFile(ctx, note, name);
    await indexNote(ctx, slug);
    return fileList(ctx, note);
  },
  { signIn: true },
);

async function fileList(ctx: Context, note: Note): Promise<PageResult> {
  if (!ctx.wantsFragment) return Redirect(`/n/${note.slug}/edit`);
  return site.fragment(ctx, "files.html", { slug: note.slug, files: await filesOf(ctx, note) });
}
