import { jsonBytes } from "../lib/limits.ts";
import { operation } from "../runtime/background/operation.ts";
import { readBody } from "../runtime/body/body.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { EventHub, type Events } from "./event-hub.ts";
import { recordExchanges } from "./recording/record-exchanges.ts";
import type { ExchangeView } from "./recording/recorded-exchange.ts";
import { processLoadReader, type ProcessLoad } from "./timeline/process-load.ts";

/** The path below `/_fw/` at which the front process asks each service for its events. */
export const eventsPath = "dev/operate/answered";

/** The numbers of the last event and the last exchange that the console has collected. */
export interface CollectedNumbers {
  readonly event: number;
  readonly exchange: number;
}

/** The events and exchanges of a service that the console has not collected yet. */
export interface ServiceNews extends Events {
  readonly exchanges: readonly ExchangeView[];
  readonly lastExchange: number;
  readonly load: ProcessLoad;
}

/**
 * Records events in the service's own process, for a console in another process. The request body is
 * `CollectedNumbers`.
 */
export function serviceEvents(): Required<Pick<HandlerOptions, "injected">> & { readonly watcher: EventHub } {
  const hub = new EventHub();
  recordExchanges(hub.addExchange);
  const readLoad = processLoadReader();
  const newsAfter = ({ event, exchange }: CollectedNumbers): ServiceNews => {
    const { last: lastExchange, exchanges } = hub.exchangesAfter(exchange);
    return { ...hub.after(event), exchanges, lastExchange, load: readLoad() };
  };
  return {
    watcher: hub,
    injected: {
      [eventsPath]: operation(async ({ exchange }) =>
        newsAfter(JSON.parse((await readBody(exchange, jsonBytes)).toString()) as CollectedNumbers),
      ),
    },
  };
}
