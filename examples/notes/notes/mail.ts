import { Entity, Queue, Subscribe, Worker, type ID, type Index } from "fw";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}
export const mails = Queue<Mail>("mails");

export interface SentMail extends Mail {
  id: ID;
  sent: Index<Date>;
}
export const outbox = Entity<SentMail>("outbox");

/** Stores the mail. A real application would call its mail service here. The id makes redelivery idempotent. */
export const sendMail = Worker(
  mails,
  async (ctx, mail, { id }) => {
    await outbox.put(ctx, { ...mail, id, sent: ctx.now() });
  },
  { maxAttempts: 8, minBackoff: "5s", rateLimit: 10 },
);

export const mailLost = Subscribe(mails.dead, async (ctx, letter) => {
  ctx.log.error("a mail was given up", { subject: letter.message.subject, reason: letter.reason });
});
