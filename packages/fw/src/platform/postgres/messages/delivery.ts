import type { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Inbox } from "../../local/messages/inbox.ts";
import type { StoredMessage } from "../../local/messages/rows.ts";
import type { Consumer } from "../../messages.ts";

/** A message that this process has claimed. Its `attempts` include the current one. */
export interface ClaimedMessage extends StoredMessage {
  /** The number of the claim, which is in the message's row while the claim is valid. */
  readonly held: string;
}

export interface DeliveryLane {
  readonly inbox: Inbox;
  readonly consumer: Consumer;
}

/** A delivery of a claimed message. Its outcome is `lost` if another machine may have the message. */
export type ClaimedDelivery = InFlightDelivery<DeliveryLane, ClaimedMessage, "lost">;
