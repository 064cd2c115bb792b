import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { DeadLetter } from "./delivery.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";

/** Events of one type for any number of subscribers. */
export interface TopicDeclaration<in out Event = never> extends EventSource<Event> {
  /** @internal */
  readonly kind: "topic";
  /** @internal */
  readonly name: string;
  /**
   * Keeps the event, 256 KiB of JSON at most, for every subscriber and resolves with its id. Each gets it at least once. In a
   * transaction it is published when the transaction commits, and only then.
   */
  publish(ctx: Context, event: Event): Promise<string>;
  /** Events that a subscriber did not handle in all their attempts. */
  readonly dead: EventSource<DeadLetter<Event>>;
}

/** Declares a topic: `export const orderPlaced = Topic<OrderPlaced>("order-placed")`. Each `Subscribe` gets every event. */
export function Topic<Event>(name: string): TopicDeclaration<Event> {
  const topic: TopicDeclaration<Event> = {
    kind: "topic",
    name,
    source: `topic:${name}`,
    publish: (ctx, event) => hosted<TopicHost>(ctx).messages.publish(ctx, topic as never, event),
    dead: eventSource("dead.topic", name),
  };
  return declared(topic);
}

/** What a topic asks of the runtime, as part of the Host. It resolves with an id. */
export interface TopicHost {
  readonly messages: {
    publish(ctx: Context, topic: TopicDeclaration, event: unknown): Promise<string>;
  };
}
