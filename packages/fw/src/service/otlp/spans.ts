import type { RequestSpan } from "../../runtime/observe/span.ts";
import { hrTime, scope, type Resource } from "./resource.ts";

/** Numbers by which the packages know what they are given. */
const server = 1;
const failed = 2;
const unset = 0;

/** A request as a span of the OpenTelemetry project. */
export function spanOf(
  { trace, id, parent, route, method, status, startedAt, ms }: RequestSpan,
  resource: Resource,
): object {
  const traceFlags = Number.parseInt(trace.flags, 16);
  const start = performance.timeOrigin + startedAt;
  return {
    name: route,
    kind: server,
    spanContext: () => ({ traceId: trace.id, spanId: id, traceFlags }),
    ...(parent !== undefined && {
      parentSpanContext: { traceId: trace.id, spanId: parent, traceFlags, isRemote: true },
    }),
    startTime: hrTime(start),
    endTime: hrTime(start + ms),
    duration: hrTime(ms),
    status: { code: status >= 500 ? failed : unset },
    attributes: { "http.request.method": method, "http.route": route, "http.response.status_code": status },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
