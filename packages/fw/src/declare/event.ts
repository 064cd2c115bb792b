/** Something that happens and that subscribers are told of: `auth.registered`, `bucket.uploaded`, a topic, the dead letters of a queue. */
export interface EventSource<out Event> {
  /** @internal The name of the destination: `topic:order-placed`, `event:auth.registered`. */
  readonly source: string;
  /** Never there: what an event is, for the compiler. */
  readonly event?: Event;
}

/** A source that subscribers know by this name, such as `bucket.uploaded:photos`. */
export function eventSource<Event>(source: string): EventSource<Event> {
  return Object.freeze({ source });
}
