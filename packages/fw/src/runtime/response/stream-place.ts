import { streamPlaces } from "../access/places.ts";
import type { Request } from "../request.ts";

/** Limit: milliseconds after which an unfinished response counts as a stream. */
export const longAnswerMs = 5_000;

/**
 * Limits a client's streams. An event stream (`lasts`) counts from its start, any other response only after
 * `longAnswerMs`. Throws a 429 or 503 at the limit.
 */
export function takeStreamPlace(request: Request, lasts: boolean): void {
  const { exchange, caller, ctx, session } = request;
  // The service that the client called has already counted the response.
  if (caller !== undefined) return;
  const holder = { ip: ctx.client.ip, user: session?.identity.id };
  if (lasts) return void exchange.onceOver(streamPlaces.take(holder));
  streamPlaces.require(holder);
  let leave: (() => void) | undefined;
  const timer = setTimeout(() => (leave = streamPlaces.takeUnchecked(holder)), longAnswerMs).unref();
  exchange.onceOver(() => {
    clearTimeout(timer);
    leave?.();
  });
}
