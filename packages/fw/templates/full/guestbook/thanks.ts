import { Counter, Queue, Worker } from "fw";

export interface Thanks {
  to: string;
}
export const thanks = Queue<Thanks>("thanks");
const mailsSent = Counter("mails_sent");

/** Call your mail service here. If the worker throws, fw retries the message. */
export const sendThanks = Worker(thanks, (ctx, { to }) => {
  ctx.log.info("would send a thank-you mail", { to });
  mailsSent.add(ctx, 1);
});
