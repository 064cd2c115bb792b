import { jsonBytes } from "../lib/limits.ts";
import { operation } from "../runtime/background/operation.ts";
import { readBody } from "../runtime/body/body.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { EventHub } from "./event-hub.ts";

/** The path below `/_fw/` at which the front process asks each service for its events. */
export const eventsPath = "dev/operate/answered";

/**
 * Records the events of a service in its own process, for the console in another one. The request body is the last
 * event number seen.
 */
export function serviceEvents(): Required<Pick<HandlerOptions, "watcher" | "injected">> {
  const hub = new EventHub();
  return {
    watcher: hub,
    injected: {
      [eventsPath]: operation(async ({ exchange }) =>
        hub.after(Number((await readBody(exchange, jsonBytes)).toString())),
      ),
    },
  };
}
