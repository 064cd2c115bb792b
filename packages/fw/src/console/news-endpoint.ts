import { jsonBytes } from "../lib/limits.ts";
import { operation } from "../runtime/background/operation.ts";
import { readBody } from "../runtime/body/body.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { eventsPath, type CollectedNumbers, type ServiceNews } from "./collected.ts";

/** Returns the endpoint at which a console in another process collects a service's events. */
export function newsEndpoint(
  newsAfter: (numbers: CollectedNumbers) => ServiceNews,
): NonNullable<HandlerOptions["injected"]> {
  return {
    [eventsPath]: operation(async ({ exchange }) =>
      newsAfter(JSON.parse((await readBody(exchange, jsonBytes)).toString()) as CollectedNumbers),
    ),
  };
}
