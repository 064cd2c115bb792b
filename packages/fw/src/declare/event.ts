import { eventName, type EventKind } from "../lib/events.ts";

/** Something that happens and that subscribers are told of: `auth.registered`, `bucket.uploaded`, a topic, the dead letters of a queue. */
export interface EventSource<out Event> {
  /** @internal The name of the destination: `topic:order-placed`, `event:auth.registered`. */
  readonly source: string;
  /** Never there: what an event is, for the compiler. */
  readonly event?: Event;
}

/** The source of what fw tells of itself, about a bucket, a queue or a topic where one is named. */
export function eventSource<Event>(kind: EventKind, about?: string): EventSource<Event> {
  return Object.freeze({ source: `event:${eventName(kind, about)}` });
}
