import { API, events, Feed, type Header } from "fw";
import type { Delivery } from "./deliveries.ts";

/** Deliveries as they arrive, all under one key. */
export const arrivals = Feed<Delivery>("arrivals");

export interface Listener {
  last?: Header<string, "Last-Event-ID">;
}

/** Streams deliveries as they arrive; a reconnecting client continues after the last one it has seen. */
export const feed = API(
  "GET /feed",
  (ctx, { last }: Listener) => events(arrivals.events(ctx, "", { after: last }), { retry: "2s" }),
  { signIn: true },
);
