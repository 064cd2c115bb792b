import { setTimeout } from "node:timers/promises";
import { API, type Context, Errorf, event, events, type Header } from "fw";
import { deliveries } from "./deliveries.ts";

export interface Listener {
  last?: Header<string, "Last-Event-ID">;
}

/** Streams deliveries as they arrive; a reconnecting client continues after the last one it has seen. */
export const feed = API("GET /feed", (ctx, { last }: Listener) => events(news(ctx, timeOf(last)), { retry: "2s" }), {
  signIn: true,
});

/** The time of the last delivery that a client has received; an id from another stream is a 400. */
function timeOf(last: string | undefined): Date {
  const time = new Date(last ?? 0);
  if (Number.isNaN(time.getTime())) throw Errorf(400, "header Last-Event-ID: is not an id of this stream");
  return time;
}

async function* news(ctx: Context, last: Date) {
  let [since, seen] = [last, new Set<string>()];
  for (;;) {
    for (const delivery of await deliveries.query().where("at", ">=", since).orderBy("at").all(ctx)) {
      if (seen.has(delivery.id)) continue;
      if (delivery.at > since) [since, seen] = [delivery.at, new Set()];
      seen.add(delivery.id);
      yield event(delivery, { id: delivery.at.toISOString(), name: delivery.kind });
    }
    await setTimeout(250, undefined, { signal: ctx.signal });
  }
}
