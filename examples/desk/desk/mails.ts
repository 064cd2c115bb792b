import { type AccountMail, Counter, Mail, type MailMessage, Queue, Secret, Subscribe, Worker } from "fw";
import { createTransport } from "nodemailer";
import { auth } from "../people/people.ts";
import { site } from "./site.ts";

export const mails = Queue<MailMessage>("mails");
export const mailsLost = Counter("mails_lost");
export const smtp = Secret("SMTP_URL");

/** The address of this application in links. */
export const origin = "https://desk.example.com";

export const sendMail = Worker(
  mails,
  async (ctx, mail, { id }) => {
    if (smtp.value() === "console")
      return ctx.log.info("mail", { to: mail.to.address, subject: mail.subject, text: mail.text });
    const { to, subject, text, html } = mail;
    const from = { name: "Desk", address: "desk@example.com" };
    const messageId = `<${id}@desk.example.com>`;
    await createTransport(smtp.value()).sendMail({ from, to, subject, text, html, messageId });
  },
  { rateLimit: 10 },
);

export const mailLost = Subscribe(mails.dead, async (ctx, { message, reason }) => {
  mailsLost.add(ctx, 1);
  ctx.log.error("a mail was given up", { subject: message.subject, reason });
});

/** An answer to a ticket. */
export const answer = Mail(
  "answer",
  (ctx, data: { subject: string; text: string; path: string }) =>
    site.fragment(ctx, "mails/answer.html", { ...data, link: `${origin}${data.path}` }),
  { queue: mails, sample: { subject: "A lost hat", text: "We **have** it.", path: "/desks/zoo/tickets/1" } },
);

/** The open tickets of a desk, in the morning. */
export const digest = Mail(
  "digest",
  (ctx, data: { desk: string; name: string; open: number }) =>
    site.fragment(ctx, "mails/digest.html", { ...data, origin }),
  { queue: mails, sample: { desk: "zoo", name: "City Zoo", open: 3 } },
);

/** Mails about accounts: links to sign up, to a new password, to verify an address. */
export const account = Mail(
  "account",
  (ctx, { purpose, path }: Pick<AccountMail, "purpose" | "path">) =>
    site.fragment(ctx, "mails/account.html", { subject: subjects[purpose], link: `${origin}${path}` }),
  { queue: mails, sample: { purpose: "reset", path: "/_fw/link/example" } },
);
export const accountMail = Subscribe(auth.mail, async (ctx, { to, name, purpose, path }) => {
  await account.send(ctx, { purpose, path }, { to: { name, address: to } });
});

const subjects = {
  "sign-up": "Create your account",
  "existing-account": "You have an account already",
  reset: "Choose a new password",
  verify: "Verify your address",
  "password-changed": "Your password was changed",
  "second-factor-changed": "Your second factor was changed",
};
