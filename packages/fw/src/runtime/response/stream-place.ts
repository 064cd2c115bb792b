import { streamPlaces } from "../access/places.ts";
import type { Request } from "../request.ts";

/** Limit: milliseconds after which an unfinished answer counts as a stream. */
export const longAnswerMs = 5_000;

/**
 * Bounds the streams of a client: an event stream counts from its beginning, any other answer once it takes long.
 * Throws a StatusError, 429 or 503, where the client has no place left.
 */
export function takeStreamPlace(request: Request, lasts: boolean): void {
  const { exchange, caller, ctx, session } = request;
  // The client of a calling service has its place there.
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
