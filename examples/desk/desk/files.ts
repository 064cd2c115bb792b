import { type Blob, Bucket, type Context, Errorf, NotFound, Page, type Path, Redirect } from "fw";
import { IsMember, isAgent, orgs } from "../people/people.ts";
import { comments, visibleTicket } from "./tickets.ts";

export const attachments = Bucket("attachments", { tenant: orgs });

/** Stores a form's file under a new name, which the comment created next refers to. */
export async function keepFile(ctx: Context, file: Blob | undefined): Promise<{ file?: string }> {
  if (file === undefined) return {};
  if ((file.size ?? 0) > 10_000_000) throw Errorf(413, "a file has at most 10 MB");
  const name = `${crypto.randomUUID().slice(0, 8)}-${(file.name ?? "file").replaceAll(/[^\w.-]+/g, "_").slice(-80)}`;
  await attachments.put(ctx, name, file);
  return { file: name };
}

export const download = Page(
  "GET /desks/{desk}/tickets/{id}/files/{comment}",
  async (ctx, req: { desk: Path; id: Path; comment: Path }) => {
    const { id } = await visibleTicket(ctx, req.id);
    const { ticket, file, internal } = await comments.get(ctx, req.comment);
    if (ticket !== id || file === undefined || (internal && !isAgent(ctx))) throw NotFound();
    const { url } = await attachments.signedGet(ctx, file, "5m");
    return Redirect(url);
  },
  { allow: IsMember },
);
