import type { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Inbox } from "../../local/messages/inbox.ts";
import type { Consumer } from "../../messages.ts";

/** A message that this process has claimed. */
export interface ClaimedMessage {
  readonly n: number;
  /** The number that identifies the claim. */
  readonly held: string;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  /** The number of deliveries that have started, including this one. */
  readonly attempts: number;
  /** The failure of the last delivery; undefined if it did not end. */
  readonly reason: string | undefined;
  readonly body: string;
  readonly traceparent: string | undefined;
}

export interface DeliveryLane {
  readonly inbox: Inbox;
  readonly consumer: Consumer;
}

/** A delivery of a claimed message. `lost`: another machine may have the message. */
export type ClaimedDelivery = InFlightDelivery<DeliveryLane, ClaimedMessage, "lost">;
