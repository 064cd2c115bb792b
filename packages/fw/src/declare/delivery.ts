import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Scaling } from "./scaling.ts";

/** How a consumer gets its messages, a literal. */
export interface TopicDelivery extends Scaling {
  /** Deliveries of one message before it is dead: 5 to 100, 10 by default. */
  readonly maxAttempts?: number;
  /** Before the second delivery, `"10s"` by default; twice as long before each further one. */
  readonly minBackoff?: Duration;
  /** Between two deliveries of one message at most, `"10m"` by default. */
  readonly maxBackoff?: Duration;
}

/** How a worker gets its messages, a literal. */
export interface QueueDelivery extends TopicDelivery {
  /** Deliveries a second. */
  readonly rateLimit?: number;
}

/** What a handler is told about a delivery. */
export interface DeliveryInfo {
  /** 1 at the first delivery. */
  readonly attempt: number;
  /** Of the message, the same at every attempt. */
  readonly id: string;
}

/** Handles one message; when it throws, the message comes again later. It may come more than once. */
export type MessageHandler<Message> = (
  ctx: Context,
  message: Message,
  delivery: DeliveryInfo,
) => void | Promise<unknown>;

/** A message that was not handled in all its attempts. */
export interface DeadLetter<Message> {
  /** The message's. */
  readonly id: string;
  /** What was sent. */
  readonly message: Message;
  /** How often it was delivered. */
  readonly attempts: number;
  /** What the last attempt failed with. */
  readonly reason: string;
}
