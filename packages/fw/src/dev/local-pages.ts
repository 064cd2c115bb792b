import { mailOperation } from "../console/mail-rendering.ts";
import { serviceEvents } from "../console/service-events.ts";
import type { DevBarState } from "../runtime/hooks.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { atDocumentEnd, barEndpoints, devBar } from "./bar/bar.ts";

/**
 * Adds the dev bar, and the recording of events for the console, to a service that runs in its own process. The service
 * receives the path of this module at its start and loads it, so that no bundle contains it.
 */
export function localPages(barState: () => DevBarState): Pick<HandlerOptions, "decorate" | "injected" | "watcher"> {
  const events = serviceEvents();
  return {
    ...events,
    decorate: (html, page) =>
      atDocumentEnd(
        html,
        devBar(page, barState(), (answer) => events.watcher.countSteps(answer)),
      ),
    injected: { ...barEndpoints, ...events.injected, ...mailOperation },
  };
}
