import type { EventStream } from "../../declare/events.ts";
import { trafficTimeoutMs } from "../../lib/limits.ts";
import { packageOf } from "../application.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";

/**
 * Has events end where their answer would be cut otherwise: when the service stops, and when an answer may take no longer. The client
 * sees a whole answer, and comes back.
 */
export function endInTime(request: Request, endpoint: BundledEndpoint, events: EventStream): void {
  const { exchange } = request;
  request.limit?.end(request);
  const end = (): void => {
    events.end();
    request.abort(new Error("the events have ended"));
  };
  const most = packageOf(request.app, endpoint)?.timeout ?? trafficTimeoutMs;
  const late = setTimeout(end, Math.max(0, request.startedAt + most - performance.now())).unref();
  const off = exchange.onDrain(end);
  exchange.onceOver(() => {
    clearTimeout(late);
    off();
  });
}
