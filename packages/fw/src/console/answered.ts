import { jsonBytes } from "../lib/limits.ts";
import { operation } from "../runtime/background/operation.ts";
import { readBody } from "../runtime/body/body.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { EventHub } from "./event-hub.ts";

/** Below `/_fw/`: where the process before several services asks each of them what it has answered. */
export const answeredPath = "dev/operate/answered";

/** What a service that runs beside others keeps for the console, which is another process's: the body is the number that was seen last. */
export function answeredHere(): Required<Pick<HandlerOptions, "watcher" | "injected">> {
  const hub = new EventHub();
  return {
    watcher: hub,
    injected: {
      [answeredPath]: operation(async ({ exchange }) =>
        hub.after(Number((await readBody(exchange, jsonBytes)).toString())),
      ),
    },
  };
}
