import { EventHub } from "../console/event-hub.ts";
import { mailOperation } from "../console/mail-rendering.ts";
import { newsEndpoint } from "../console/news-endpoint.ts";
import { recordExchanges } from "../console/recording/record-exchanges.ts";
import { processLoadReader } from "../console/timeline/process-load.ts";
import type { DevBarState } from "../runtime/hooks.ts";
import { outgoingRecorder } from "../runtime/observe/outgoing/record-outgoing.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { atDocumentEnd, barEndpoints, devBar } from "./bar/bar.ts";

/**
 * Returns the handler options that add the dev bar and event recording to a service in its own process. Bundles do not
 * contain this module: the service receives its path at startup.
 */
export function localPages(
  barState: () => DevBarState,
): Pick<HandlerOptions, "decorate" | "injected" | "watcher" | "follow"> {
  const events = serviceEvents();
  return {
    ...events,
    follow: outgoingRecorder(),
    decorate: (html, page) =>
      atDocumentEnd(
        html,
        devBar(page, barState(), (answer) => events.watcher.countSteps(answer)),
      ),
    injected: { ...barEndpoints, ...events.injected, ...mailOperation },
  };
}

/**
 * Records events in the service's own process and serves them to a console in another process. The request body,
 * `CollectedNumbers`, tells which events the console already has.
 */
function serviceEvents(): Required<Pick<HandlerOptions, "injected">> & { readonly watcher: EventHub } {
  const hub = new EventHub();
  recordExchanges(hub.addExchange);
  const readLoad = processLoadReader();
  const injected = newsEndpoint(({ event, exchange }) => {
    const { last: lastExchange, exchanges } = hub.exchangesAfter(exchange);
    return { ...hub.after(event), exchanges, lastExchange, totals: hub.takeTotals(), load: readLoad() };
  });
  return { watcher: hub, injected };
}
