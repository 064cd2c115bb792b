import { messageNames } from "../../message-names.ts";
import type { Delivery } from "../../messages.ts";

/** A message with all that is decided when it is sent. */
export interface SentMessage extends Pick<Delivery, "id" | "destination" | "body" | "sent" | "traceparent"> {
  /** The first delivery is not before it. */
  readonly due: Date;
}

/** What is told of a message beside its body, as attributes or as headers. */
export function namedOf({
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
