import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { DeadLetter } from "./delivery.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { Duration } from "./duration.ts";

/** How one message is sent. */
export interface SendOptions {
  /** Before the first delivery. */
  readonly delay?: Duration;
}

/** Messages of one type for one worker. */
export interface QueueDeclaration<in out Message = never> {
  /** @internal */
  readonly kind: "queue";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly message?: Message;
  /**
   * Keeps the message, 256 KiB of JSON at most, and resolves with its id. It is delivered at least once. In a transaction it
   * is sent when the transaction commits, and only then.
   */
  send(ctx: Context, message: Message, options?: SendOptions): Promise<string>;
  /** Messages that were not handled in all their attempts. */
  readonly dead: EventSource<DeadLetter<Message>>;
}

/** Declares a queue: `export const emails = Queue<Email>("emails")`. A `Worker` handles its messages. */
export function Queue<Message>(name: string): QueueDeclaration<Message> {
  const queue: QueueDeclaration<Message> = {
    kind: "queue",
    name,
    send: (ctx, message, options = {}) => hosted<QueueHost>(ctx).messages.send(ctx, queue as never, message, options),
    dead: eventSource("dead.queue", name),
  };
  return declared(queue);
}

/** What a queue asks of the runtime, as part of the Host. It resolves with an id. */
export interface QueueHost {
  readonly messages: {
    send(ctx: Context, queue: QueueDeclaration, message: unknown, options: SendOptions): Promise<string>;
  };
}
