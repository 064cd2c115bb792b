import { Fault } from "../../declare/errors.ts";
import type { HTML } from "../../declare/html.ts";
import type { MailAddress, MailContent } from "../../declare/mail.ts";
import { plainText, titleOf } from "./plain-text.ts";

/** Reads a mail's subject and bodies from its HTML document. */
export function contentOf(mail: string, { text: html }: HTML): MailContent {
  const subject = oneLine(titleOf(html) ?? "");
  if (subject === "") throw new Fault(`mail ${mail}: its document has no <title>, which is the subject`);
  return { subject, text: plainText(html), html };
}

/** Returns an address whose name is on a single line. */
export function recipientOf(to: string | MailAddress): MailAddress {
  const { name, address } = typeof to === "string" ? { name: "", address: to } : to;
  return { name: oneLine(name), address };
}

/** Replaces line breaks and other control characters, which could start another header, with spaces. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
