import { eventName, type EventKind } from "../lib/events.ts";

/**
 * A source of events for `Subscribe`, such as `auth.registered`, `bucket.uploaded`, a topic, or the dead letters of a
 * queue.
 */
export interface EventSource<out Event> {
  /** @internal The name of the destination: `topic:order-placed`, `event:auth.registered`. */
  readonly source: string;
  /** Never set; exists only for the type of the events. */
  readonly event?: Event;
}

/** Creates a source for fw's own events, such as uploads to a bucket or dead letters of a queue. */
export function eventSource<Event>(kind: EventKind, about?: string): EventSource<Event> {
  return Object.freeze({ source: `event:${eventName(kind, about)}` });
}
