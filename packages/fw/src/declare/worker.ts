import { recordDeclaration } from "./declaration-records.ts";
import type { MessageHandler, QueueDelivery } from "./delivery.ts";
import type { QueueDeclaration } from "./queue.ts";

/** The result of `Worker`. */
export interface WorkerDeclaration<Message = never> {
  /** @internal */
  readonly kind: "worker";
  /** @internal */
  readonly queue: QueueDeclaration<Message>;
  /** @internal */
  readonly handler: MessageHandler<Message>;
  /** @internal */
  readonly delivery: QueueDelivery;
}

/** Declares a queue's handler: `export const sendEmail = Worker(emails, async (ctx, email) => …)`. One per queue. */
export function Worker<Message>(
  queue: QueueDeclaration<Message>,
  handler: MessageHandler<Message>,
  delivery: QueueDelivery = {},
): WorkerDeclaration<Message> {
  return recordDeclaration({ kind: "worker", queue, handler, delivery } as const);
}
