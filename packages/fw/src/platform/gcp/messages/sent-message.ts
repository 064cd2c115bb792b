import { messageNames } from "../../message-names.ts";
import type { Delivery } from "../../messages.ts";

/** A message and everything that is determined when it is sent. */
export interface SentMessage extends Pick<Delivery, "id" | "destination" | "body" | "sent" | "traceparent"> {
  /** The earliest time of the first delivery. */
  readonly due: Date;
}

/** Returns a message's metadata as attributes or headers. */
export function metadataOf({
  id,
  sent,
  traceparent,
}: Pick<SentMessage, "id" | "sent" | "traceparent">): Record<string, string> {
  return {
    [messageNames.id]: id,
    [messageNames.sent]: sent.toISOString(),
    ...(traceparent !== undefined && { [messageNames.traceparent]: traceparent }),
  };
}
