import { recordDeclaration } from "./declaration-records.ts";
import type { MessageHandler, TopicDelivery } from "./delivery.ts";
import type { EventSource } from "./event.ts";

/** The result of `Subscribe`. */
export interface SubscribeDeclaration<Event = never> {
  /** @internal */
  readonly kind: "subscribe";
  /** @internal */
  readonly source: EventSource<Event>;
  /** @internal */
  readonly handler: MessageHandler<Event>;
  /** @internal */
  readonly delivery: TopicDelivery;
}

/**
 * Declares a handler for events of a topic, `bucket.uploaded`, `auth.registered`, `auth.firstSignIn`, `auth.mail`, or
 * the dead letters of a queue or topic: `export const thumbnail = Subscribe(photos.uploaded, async (ctx, info) => …)`.
 */
export function Subscribe<Event>(
  source: EventSource<Event>,
  handler: MessageHandler<Event>,
  delivery: TopicDelivery = {},
): SubscribeDeclaration<Event> {
  return recordDeclaration({ kind: "subscribe", source, handler, delivery } as const);
}
