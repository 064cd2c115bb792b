import { Counter, Queue, Worker } from "fw";

export interface Thanks {
  to: string;
}
export const thanks = Queue<Thanks>("thanks");
const thanked = Counter("thanked");

/** A mail service would be called here. What it throws is tried again. */
export const sendThanks = Worker(thanks, (ctx, { to }) => {
  ctx.log.info("thanked", { to });
  thanked.add(ctx, 1);
});
