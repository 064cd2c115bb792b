import { Errorf, Page, Redirect, transaction, type Form, type Path } from "fw";
import { CanWrite } from "./auth.ts";
import { mails } from "./mail.ts";
import { isOwner, notes } from "./note.ts";
import { read } from "./notes.ts";

export interface ShareNote {
  slug: Path;
  email: Form;
}
/** Shares a note with a user. The mail is sent if and only if the transaction commits. */
export const share = Page(
  "POST /n/{slug}/share",
  async (ctx, { slug, email }: ShareNote) => {
    const to = email.trim().toLowerCase();
    if (!/^[^\s@]+@[^\s@]+$/.test(to)) throw Errorf(422, "that is no email address");
    await transaction(ctx, async (tx) => {
      const note = await read(tx, slug);
      if (!isOwner(note, ctx.user())) throw Errorf(403, "only its author may share this note");
      if (note.readers.includes(to)) return;
      await notes.put(tx, { ...note, readers: [...note.readers, to] });
      await mails.send(tx, { to, subject: note.title, text: `${note.author} shares a note with you: /n/${slug}` });
    });
    return Redirect(`/n/${slug}`);
  },
  { allow: CanWrite },
);
