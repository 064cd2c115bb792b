import { timeoutOf } from "../application.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";

/**
 * Ends a long response gracefully when the service stops or the response's time is up, so the client sees it as
 * complete and reconnects. Returns a function that cancels this.
 */
export function endInTime(
  { app, exchange, startedAt }: Request,
  endpoint: BundledEndpoint,
  end: () => void,
): () => void {
  const late = setTimeout(end, Math.max(0, startedAt + timeoutOf(app, endpoint) - performance.now())).unref();
  const off = exchange.onDrain(end);
  return () => {
    clearTimeout(late);
    off();
  };
}
