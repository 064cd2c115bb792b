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
