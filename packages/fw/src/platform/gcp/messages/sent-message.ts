import { messageNames } from "../../message-names.ts";
import type { Destination } from "../../messages.ts";

/** A message with all that is decided when it is sent. */
export interface SentMessage {
  readonly id: string;
  readonly destination: Destination;
  readonly body: string;
  readonly sent: Date;
  /** The first delivery is not before it. */
  readonly due: Date;
  /** Of the step that sends it. */
  readonly traceparent?: string | undefined;
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
