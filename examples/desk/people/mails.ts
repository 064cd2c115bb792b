import { Counter, Queue, Secret, Subscribe, Worker } from "fw";
import { createTransport } from "nodemailer";
import { auth } from "./people.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}
export const mails = Queue<Mail>("mails");
export const mailsLost = Counter("mails_lost");
export const smtp = Secret("SMTP_URL");

/** The address of this application in links. */
export const origin = "https://desk.example.com";

export const sendMail = Worker(
  mails,
  async (ctx, mail, { id }) => {
    if (smtp.value() === "console") return ctx.log.info("mail", { ...mail });
    const from = { name: "Desk", address: "desk@example.com" };
    await createTransport(smtp.value()).sendMail({ ...mail, from, messageId: `<${id}@desk.example.com>` });
  },
  { rateLimit: 10 },
);

export const mailLost = Subscribe(mails.dead, async (ctx, { message, reason }) => {
  mailsLost.add(ctx, 1);
  ctx.log.error("a mail was given up", { subject: message.subject, reason });
});

/** Mails about accounts: links to sign up, to a new password, to verify an address. */
export const accountMail = Subscribe(auth.mail, async (ctx, { to, purpose, path }) => {
  await mails.send(ctx, { to, subject: subjects[purpose], text: `${subjects[purpose]}: ${origin}${path}` });
});

const subjects = {
  "sign-up": "Create your account",
  "existing-account": "You have an account already",
  reset: "Choose a new password",
  verify: "Verify your address",
  "password-changed": "Your password was changed",
  "second-factor-changed": "Your second factor was changed",
};
