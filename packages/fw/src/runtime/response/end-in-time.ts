import { timeoutOf } from "../application.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";

/**
 * Ends an answer that would be cut otherwise: when the service stops, and when it may take no longer. The client sees a whole answer, and
 * comes back. Not once what it returns was called.
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
