import { declared } from "./declared.ts";
import type { MessageHandler, TopicDelivery } from "./delivery.ts";
import type { EventSource } from "./event.ts";

/** What `Subscribe` makes. */
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
 * Handles the events of a topic, of `bucket.uploaded`, of `auth.registered` or `auth.firstSignIn`, or the dead letters of a
 * queue or topic: `export const thumbnail = Subscribe(photos.uploaded, async (ctx, info) => …)`.
 */
export function Subscribe<Event>(
  source: EventSource<Event>,
  handler: MessageHandler<Event>,
  delivery: TopicDelivery = {},
): SubscribeDeclaration<Event> {
  return declared({ kind: "subscribe", source, handler, delivery } as const);
}
