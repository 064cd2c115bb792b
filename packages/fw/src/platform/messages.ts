import type { Delivery as DeclaredDelivery } from "../model/background.ts";

export type Destination =
  /** Has at most one consumer. Without one, messages wait. */
  | { readonly kind: "queue"; readonly name: string }
  /** Every consumer gets its own copy. Without consumers, messages are dropped. */
  | { readonly kind: "topic"; readonly name: string }
  /**
   * Sent by the framework: `auth.registered`, `auth.first-sign-in`, `auth.mail`, `bucket.uploaded:<bucket>`,
   * `dead.queue:<queue>`, `dead.topic:<topic>`.
   */
  | { readonly kind: "event"; readonly name: string }
  /** Starts of a job. Each message is a run, and each task of a run is a separate delivery (see `task.ts`). */
  | { readonly kind: "job"; readonly name: string };

/** An application's handler for the messages of one destination. */
export interface Consumer {
  /** Unique in the application and stable across restarts: `<package>-<variable>`. */
  readonly id: string;
  readonly destination: Destination;
  readonly delivery: DeliveryPolicy;
}

export interface DeliveryPolicy extends DeclaredDelivery {
  /** The maximum number of the consumer's deliveries in flight. */
  readonly concurrency: number;
}

export interface OutgoingMessage {
  /** JSON text, at most 256 KiB of UTF-8; a longer one fails with `too-large`. */
  readonly body: string;
  /** Milliseconds before the first delivery, at most 30 days. */
  readonly delay?: number;
  /** The sender's trace context, as a W3C `traceparent`. */
  readonly traceparent?: string;
}

export interface Delivery {
  /** The message's id: the same at every attempt, so that handlers can be idempotent. */
  readonly id: string;
  readonly consumer: string;
  readonly destination: Destination;
  /** Starts at 1. */
  readonly attempt: number;
  readonly body: string;
  readonly sent: Date;
  /** The message's trace context, if it has one. */
  readonly traceparent?: string | undefined;
  /** Aborts at the deadline and when the dispatcher stops. */
  readonly signal: AbortSignal;
}

/** A message in the dead-letter store, which is not retried. */
export interface DeadMessage extends Pick<Delivery, "id" | "consumer" | "destination" | "body" | "sent"> {
  /** Increases with every dead message. */
  readonly position: number;
  readonly attempts: number;
  readonly died: Date;
  /** The last attempt's error, at most 1,000 characters. */
  readonly reason: string;
  /** Present if the message is not dead but did not fit its type. It is resent when other code is deployed. */
  readonly waits?: true;
}

export interface DeadOptions {
  readonly consumer?: string;
  readonly after?: number;
  /** Defaults to 100. */
  readonly limit?: number;
}

export interface Delivering {
  /**
   * Starts no new deliveries, aborts the signals of current ones and waits up to 5 seconds. Deliveries that fail or do
   * not end by then count as unfinished: they are due at once, and the attempt does not count.
   */
  stop(): Promise<void>;
}

/**
 * Messages with at-least-once delivery to every consumer. A message is durable when `send` resolves. Unless its process
 * dies, a message in flight is not delivered again before its deadline.
 */
export interface Messages {
  /**
   * Stores the message for the destination's consumers and returns its id, the same for all of them. Throws a
   * PlatformError `too-large`, and `message` if the delay is invalid.
   */
  send(destination: Destination, message: OutgoingMessage): Promise<string>;
}

/** Stores messages whose handlers failed at the last attempt, for platforms where deliveries arrive as requests. */
export interface DeadLetterSink {
  /** Stores the message and publishes it to the subscribers of its destination's dead letters. Idempotent. */
  add(dead: DyingMessage): Promise<void>;
  /**
   * Stores a message that does not fit its type. It waits for other code, and dead-letter subscribers are not notified.
   */
  setAside(misfit: DyingMessage): Promise<void>;
}

export type DyingMessage = Omit<DeadMessage, "position" | "died" | "waits">;

/** Gives operators access to messages whose last delivery failed. */
export interface HeldMessages {
  /** Lists dead messages in the order in which they died. Only the last 10,000 are retained for each consumer. */
  dead(options?: DeadOptions): Promise<readonly DeadMessage[]>;
  /** Sends a dead message again as a new one with the same id; returns false if the consumer has no such message. */
  replay(consumer: string, id: string): Promise<boolean>;
  /** Deletes a dead message; returns false if the consumer has no such message. */
  drop(consumer: string, id: string): Promise<boolean>;
}

/**
 * A platform that delivers messages from this process, such as the local one. In the cloud, deliveries arrive as
 * requests.
 */
export interface Dispatcher extends HeldMessages {
  /**
   * Delivers to the consumers that the platform was opened (or redefined) with, until stopped. Only one call may be
   * delivering at a time. The message is done when `deliver` resolves; when it rejects, the message is retried later or
   * dead-lettered. A delivery that exceeds its deadline has failed, and its retry may run concurrently. `consumers`
   * limits delivery to these consumers, if other machines deliver to the rest; a platform for a single machine ignores
   * it.
   */
  deliver(deliver: (delivery: Delivery) => Promise<void>, consumers?: ReadonlySet<string>): Delivering;
  /** Resolves when no message is due or in flight. With `all`, delayed messages count as due. */
  idle(options?: { readonly all?: boolean }): Promise<void>;
}
