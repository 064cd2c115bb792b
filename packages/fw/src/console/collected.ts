import type { Events } from "./event-hub.ts";
import type { ExchangeView } from "./recording/exchange-view.ts";
import type { StepTotal } from "./recording/step-totals.ts";
import type { ProcessLoad } from "./timeline/process-load.ts";

/** The path below `/_fw/` at which the front process asks each service for its events. */
export const eventsPath = "dev/operate/answered";

/** A request for events after the last event and the last exchange that the console has collected. */
export interface CollectedNumbers {
  readonly event: number;
  readonly exchange: number;
  /** The ids of traces that another service has kept. A service that samples traces then keeps its own part of them. */
  readonly traces?: readonly string[];
}

/** The events and exchanges of a service that the console has not collected yet. */
export interface ServiceNews extends Events {
  readonly exchanges: readonly ExchangeView[];
  readonly lastExchange: number;
  /** The queries and calls since the last collection. */
  readonly totals: readonly StepTotal[];
  readonly load: ProcessLoad;
}
