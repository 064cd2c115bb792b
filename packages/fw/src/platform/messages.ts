import type { Delivery as DeclaredDelivery } from "../model/background.ts";

/** What brings messages to consumers. */
export type Destination =
  /** One consumer at most; what is sent before there is one waits for it. */
  | { readonly kind: "queue"; readonly name: string }
  /** Every consumer gets its own copy; without consumers nothing is kept. */
  | { readonly kind: "topic"; readonly name: string }
  /** Told by the framework: `auth.registered`, `auth.first-sign-in`, `bucket.uploaded:<bucket>`, `dead.queue:<queue>`, `dead.topic:<topic>`. */
  | { readonly kind: "event"; readonly name: string }
  /** Starts of a job: a message is a run, and each of its tasks is delivered on its own (`task.ts` has what both say). */
  | { readonly kind: "job"; readonly name: string };

/** Who gets the messages of a destination, one handler of the application. */
export interface Consumer {
  /** Unique in the application and the same after a restart: `<package>-<variable>`. */
  readonly id: string;
  readonly destination: Destination;
  readonly delivery: DeliveryPolicy;
}

/** How often and how fast a consumer gets its messages. */
export interface DeliveryPolicy extends DeclaredDelivery {
  /** Deliveries of this consumer at the same time. */
  readonly concurrency: number;
}

/** A message to send. */
export interface OutgoingMessage {
  /** JSON text, at most 256 KiB of UTF-8; a longer one fails with `too-large`. */
  readonly body: string;
  /** Milliseconds before the first delivery, 30 days at most. */
  readonly delay?: number;
  /** The step of a trace that sends it, as W3C's `traceparent`. */
  readonly traceparent?: string;
}

/** One delivery of a message. */
export interface Delivery {
  /** Of the message: the same at every attempt, so that a handler can recognise what it has done. */
  readonly id: string;
  /** The consumer's id. */
  readonly consumer: string;
  readonly destination: Destination;
  /** 1 at the first delivery. */
  readonly attempt: number;
  readonly body: string;
  readonly sent: Date;
  /** Of the message, where it was sent with one. */
  readonly traceparent?: string | undefined;
  /** Aborts at the deadline and when delivering stops. */
  readonly signal: AbortSignal;
}

/** A message that nobody will deliver again by itself. */
export interface DeadMessage extends Pick<Delivery, "id" | "consumer" | "destination" | "body" | "sent"> {
  /** Greater than those of all that died before. */
  readonly position: number;
  readonly attempts: number;
  readonly died: Date;
  /** What the last attempt failed with, at most 1,000 characters. */
  readonly reason: string;
}

/** Which dead messages. */
export interface DeadOptions {
  /** Those of one consumer; otherwise those of all. */
  readonly consumer?: string;
  /** The position after which they begin. */
  readonly after?: number;
  /** How many at most, 100 by default. */
  readonly limit?: number;
}

/** Delivering under way. */
export interface Delivering {
  /**
   * Begins no other delivery, aborts the signals of those under way and waits for them, 5 seconds at most. What ends by
   * failing and what has not ended is unfinished: it is given back without a count of the attempt and is due at once.
   */
  stop(): Promise<void>;
}

/**
 * Messages, delivered at least once to every consumer. A message is durable when `send` resolves. While a delivery is
 * under way nobody else gets it; when its process dies, another delivery follows.
 */
export interface Messages {
  /**
   * Keeps the message for the destination's consumers and resolves with its id, the same for all of them. Fails with `too-large`,
   * and with `message` when the delay is not one that a message can have.
   */
  send(destination: Destination, message: OutgoingMessage): Promise<string>;
}

/** Takes what a handler has failed at for the last time, where deliveries come in as requests. */
export interface DeadLetterSink {
  /** Keeps the message, and tells those who subscribe to the dead letters of its destination. May be called twice for one. */
  add(dead: DyingMessage): Promise<void>;
}

/** A message that dies, before it is kept. */
export type DyingMessage = Omit<DeadMessage, "position" | "died">;

/** What consumers have failed at for the last time, for whoever operates an application. */
export interface HeldMessages {
  /** Dead messages, in the order in which they died; the last 10,000 of each consumer are kept. */
  dead(options?: DeadOptions): Promise<readonly DeadMessage[]>;
  /** Sends a dead message again, as a new one with its old id; false when there is none of this id for the consumer. */
  replay(consumer: string, id: string): Promise<boolean>;
  /** Forgets a dead message; false when there is none of this id for the consumer. */
  drop(consumer: string, id: string): Promise<boolean>;
}

/** A platform that delivers by itself, in this process: the laptop's. In the cloud deliveries come in as requests. */
export interface Dispatcher extends HeldMessages {
  /**
   * Delivers to the consumers that the platform was opened (or redefined) with, until it is stopped; one at a time.
   * `deliver` resolves when the message is done; when it rejects, the message is delivered again later, or is dead. A
   * delivery that goes on after its deadline has failed, and another may begin beside it.
   */
  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering;
  /** Resolves when no message is due and none is under way. With `all`, messages that wait for a later time count as due now. */
  idle(options?: { readonly all?: boolean }): Promise<void>;
}
