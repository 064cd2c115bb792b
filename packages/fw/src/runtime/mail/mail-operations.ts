import { StatusError } from "../../declare/errors.ts";
import type { HTML } from "../../declare/html.ts";
import type { MailAddress, MailContent, MailHost } from "../../declare/mail.ts";
import { missOf } from "../../lib/limited.ts";
import { messages } from "../error-messages.ts";

/** Implements mails. The code that turns HTML documents into mails is loaded with the first one rendered or sent. */
export const mailOperations: MailHost["mails"] = {
  content: async (mail: string, document: HTML): Promise<MailContent> =>
    (await import("./content.ts")).contentOf(mail, document),
  message: async (mail: string, to: string | MailAddress, document: HTML) => {
    checkAddress(to);
    const { contentOf, recipientOf } = await import("./content.ts");
    return { mail, to: recipientOf(to), ...contentOf(mail, document) };
  },
};

/** Throws a 400 unless the text is a single address. In `content.ts`, the check would become part of every bundle. */
function checkAddress(to: string | MailAddress): void {
  const address = typeof to === "string" ? to : to.address;
  if (missOf(address, { format: "email" }) !== undefined) throw new StatusError(400, messages.emailAddress);
}
