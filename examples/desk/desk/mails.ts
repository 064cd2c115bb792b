import { type AccountMail, Mail, type MailMessage, Queue, Secret, Subscribe, Worker } from "fw";
import { createTransport } from "nodemailer";
import { auth } from "../people/people.ts";
import { site } from "./site.ts";

export const mails = Queue<MailMessage>("mails");
export const smtp = Secret("SMTP_URL");

/** The origin of this application, for links. */
export const origin = "https://desk.example.com";

export const sendMail = Worker(
  mails,
  async (ctx, { to, subject, text, html }, { id }) => {
    if (smtp.value() === "console") return ctx.log.info("mail", { to: to.address, subject, text });
    const from = { name: "Desk", address: "desk@example.com" };
    const messageId = `<${id}@desk.example.com>`;
    await createTransport(smtp.value()).sendMail({ from, to, subject, text, html, messageId });
  },
  { rateLimit: 10 },
);

/** An answer to a ticket. */
export const answer = Mail(
  "answer",
  (ctx, data: { subject: string; text: string; path: string }) =>
    site.fragment(ctx, "mails/answer.html", { ...data, link: `${origin}${data.path}` }),
  { queue: mails, sample: { subject: "A lost hat", text: "We **have** it.", path: "/desks/zoo/tickets/1" } },
);

/** Mails about accounts, with links for signing up, choosing a new password or verifying an address. */
export const account = Mail(
  "account",
  (ctx, { purpose, path }: Pick<AccountMail, "purpose" | "path">) =>
    site.fragment(ctx, "mails/account.html", { purpose, link: `${origin}${path}` }),
  { queue: mails, sample: { purpose: "reset", path: "/_fw/link/example" } },
);
export const accountMail = Subscribe(auth.mail, async (ctx, { to, name, purpose, path }) => {
  await account.send(ctx, { purpose, path }, { to: { name, address: to } });
});
