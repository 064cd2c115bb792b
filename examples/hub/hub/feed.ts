import { API, events, Feed, type Header } from "fw";
import type { Delivery } from "./deliveries.ts";

/** The feed of new deliveries, all under the same key. */
export const arrivals = Feed<Delivery>("arrivals");

export interface Listener {
  last?: Header<string, "Last-Event-ID">;
}

/** Streams deliveries as they arrive. A client that reconnects continues after the last one it received. */
export const feed = API(
  "GET /feed",
  (ctx, { last }: Listener) => events(arrivals.events(ctx, "", { after: last }), { retry: "2s" }),
  { signIn: true },
);
