import type { HandlerOptions } from "../runtime/options.ts";
import { newsEndpoint } from "./news-endpoint.ts";
import { EventHub } from "./event-hub.ts";
import { recordExchanges } from "./recording/record-exchanges.ts";
import { processLoadReader } from "./timeline/process-load.ts";

/**
 * Records events in the service's own process, for a console in another process. The request body is
 * `CollectedNumbers`.
 */
export function serviceEvents(): Required<Pick<HandlerOptions, "injected">> & { readonly watcher: EventHub } {
  const hub = new EventHub();
  recordExchanges(hub.addExchange);
  const readLoad = processLoadReader();
  const injected = newsEndpoint(({ event, exchange }) => {
    const { last: lastExchange, exchanges } = hub.exchangesAfter(exchange);
    return { ...hub.after(event), exchanges, lastExchange, load: readLoad() };
  });
  return { watcher: hub, injected };
}
