import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { DeadLetter } from "./delivery.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { TenantSetting } from "./tenant.ts";
import type { Duration } from "./duration.ts";

/** Options of `send`. */
export interface SendOptions {
  /** The delay before the first delivery, at most 30 days. */
  readonly delay?: Duration;
  /**
   * Debounces messages: a new message replaces the waiting one with the same key, so only the last is delivered, after
   * its own delay. A delivery that has started is not affected.
   */
  readonly key?: string;
}

/** A queue of messages of one type for one worker. */
export interface QueueDeclaration<in out Message = never> {
  /** @internal */
  readonly kind: "queue";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly evolution?: Evolution<Record<string, unknown>, OldMessage> & TenantSetting;
  /** @internal */
  readonly message?: Message;
  /**
   * Enqueues a message of at most 256 KiB of JSON and resolves with its id. Delivery is at least once. Inside a
   * transaction, the message is sent if and only if the transaction commits.
   */
  send(ctx: Context, message: Message, options?: SendOptions): Promise<string>;
  /**
   * Cancels the waiting message with a key: no further attempt starts. Resolves with true if no delivery has started,
   * and with false if one may have started or there is no such message. Inside a transaction, the message is cancelled
   * if and only if the transaction commits.
   */
  cancel(ctx: Context, key: string): Promise<boolean>;
  /** The dead letters: messages whose attempts have all failed. */
  readonly dead: EventSource<DeadLetter<Message>>;
}

/** Declares a queue: `export const emails = Queue<Email>("emails")`. A `Worker` handles its messages. */
export function Queue<Message>(
  name: string,
  evolution?: Evolution<Message, OldMessage> & TenantSetting,
): QueueDeclaration<Message> {
  const queue: QueueDeclaration<Message> = {
    kind: "queue",
    name,
    ...(evolution && { evolution }),
    send: (ctx, message, options = {}) => hosted<QueueHost>(ctx).messages.send(ctx, queue as never, message, options),
    cancel: (ctx, key) => hosted<QueueHost>(ctx).messages.cancel(ctx, queue as never, key),
    dead: eventSource("dead.queue", name),
  };
  return recordDeclaration(queue);
}

/** The part of the Host that sends messages. `send` resolves with the message's id. */
export interface QueueHost {
  readonly messages: {
    send(ctx: Context, queue: QueueDeclaration, message: unknown, options: SendOptions): Promise<string>;
    cancel(ctx: Context, queue: QueueDeclaration, key: string): Promise<boolean>;
  };
}
