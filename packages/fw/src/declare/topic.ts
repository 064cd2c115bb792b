import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { DeadLetter } from "./delivery.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { TenantSetting } from "./tenant.ts";

/** A stream of events of one type, for any number of subscribers. */
export interface TopicDeclaration<in out Event = never> extends EventSource<Event> {
  /** @internal */
  readonly kind: "topic";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly evolution?: Evolution<Record<string, unknown>, OldMessage> & TenantSetting;
  /**
   * Publishes an event of at most 256 KiB of JSON and resolves with its id. Each subscriber receives it at least once.
   * Inside a transaction, the event is published if and only if the transaction commits.
   */
  publish(ctx: Context, event: Event): Promise<string>;
  /** The dead letters: events that a subscriber failed to handle in all attempts. */
  readonly dead: EventSource<DeadLetter<Event>>;
}

/**
 * Declares a topic: `export const orderPlaced = Topic<OrderPlaced>("order-placed")`. Every `Subscribe` receives each
 * event.
 */
export function Topic<Event>(
  name: string,
  evolution?: Evolution<Event, OldMessage> & TenantSetting,
): TopicDeclaration<Event> {
  const topic: TopicDeclaration<Event> = {
    kind: "topic",
    name,
    ...(evolution && { evolution }),
    source: `topic:${name}`,
    publish: (ctx, event) => hosted<TopicHost>(ctx).messages.publish(ctx, topic as never, event),
    dead: eventSource("dead.topic", name),
  };
  return recordDeclaration(topic);
}

/** The part of the Host that publishes events. `publish` resolves with the event's id. */
export interface TopicHost {
  readonly messages: {
    publish(ctx: Context, topic: TopicDeclaration, event: unknown): Promise<string>;
  };
}
