import type { HTML } from "../../declare/html.ts";
import type { MailAddress, MailContent, MailHost } from "../../declare/mail.ts";

/** Implements mails. The code that reads documents loads with the first one. */
export const mailOperations: MailHost["mails"] = {
  content: async (mail: string, document: HTML): Promise<MailContent> =>
    (await import("./content.ts")).contentOf(mail, document),
  message: async (mail: string, to: string | MailAddress, document: HTML) => {
    const { addressOf, contentOf } = await import("./content.ts");
    return { mail, to: addressOf(to), ...contentOf(mail, document) };
  },
};
