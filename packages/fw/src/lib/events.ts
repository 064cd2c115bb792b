/** fw's own events, to which code can subscribe. Some are specific to a bucket, queue or topic. */
export type EventKind =
  | "auth.registered"
  | "auth.first-sign-in"
  | "auth.mail"
  | "bucket.uploaded"
  | "dead.queue"
  | "dead.topic";

/** Returns the name of an event's destination, such as `auth.registered` or `bucket.uploaded:photos`. */
export function eventName(kind: EventKind, about?: string): string {
  return about === undefined ? kind : `${kind}:${about}`;
}

/** Parses a name created by `eventName`. For account events, `about` is "". */
export function partsOfEvent(name: string): { readonly kind: string; readonly about: string } {
  const colon = name.indexOf(":");
  return colon === -1 ? { kind: name, about: "" } : { kind: name.slice(0, colon), about: name.slice(colon + 1) };
}
