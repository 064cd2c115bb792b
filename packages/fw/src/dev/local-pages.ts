import { serviceEvents } from "../console/service-events.ts";
import type { DevBarState } from "../runtime/hooks.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { atDocumentEnd, barEndpoints, devBar } from "./bar/bar.ts";

/**
 * The dev bar and the console's data for services in their own processes. A service loads this module from a path that
 * it receives at its start, so that no bundle contains it.
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
    injected: { ...barEndpoints, ...events.injected },
  };
}
