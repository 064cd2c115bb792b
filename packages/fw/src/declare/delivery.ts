import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Scaling } from "./scaling.ts";

/** Delivery settings of a consumer, written as a literal. */
export interface TopicDelivery extends Scaling {
  /** The number of attempts before a message becomes a dead letter: 5 to 100, 10 by default. */
  readonly maxAttempts?: number;
  /** The delay before the second attempt, `"10s"` by default; it doubles with each further attempt. */
  readonly minBackoff?: Duration;
  /** The longest delay between two attempts, `"10m"` by default. */
  readonly maxBackoff?: Duration;
}

/** Delivery settings of a worker, written as a literal. */
export interface QueueDelivery extends TopicDelivery {
  /** The maximum number of deliveries per second, up to 500. */
  readonly rateLimit?: number;
}

/** Information about a delivery, for its handler. */
export interface DeliveryInfo {
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The message's id, the same at every attempt. */
  readonly id: string;
}

/**
 * Handles a message. If it throws, the message is delivered again later. Delivery is at least once, so handlers should
 * be idempotent.
 */
export type MessageHandler<Message> = (
  ctx: Context,
  message: Message,
  delivery: DeliveryInfo,
) => void | Promise<unknown>;

/** A message whose attempts have all failed. */
export interface DeadLetter<Message> {
  /** The message's id. */
  readonly id: string;
  /** The message, as its handler receives it. */
  readonly message: Message;
  /** The number of attempts made. */
  readonly attempts: number;
  /** The error of the last attempt. */
  readonly reason: string;
}
