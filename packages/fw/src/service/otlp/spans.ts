import type { Span } from "../../runtime/observe/span.ts";
import { hrTime, scope, type Resource } from "./resource.ts";

/** Constants from the OpenTelemetry packages. */
const kinds: Readonly<Record<Span["kind"], number>> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };
const failedCode = 2;
const unsetCode = 0;

/** The kinds of spans whose parent may be in another process. */
const remoteParentKinds: ReadonlySet<Span["kind"]> = new Set(["server", "consumer"]);

/** Converts a span to OpenTelemetry's format. */
export function spanOf(span: Span, resource: Resource): object {
  const { trace, id, parent, kind, name, failed, startedAt, ms, attributes } = span;
  const traceFlags = Number.parseInt(trace.flags, 16);
  const start = performance.timeOrigin + startedAt;
  return {
    name,
    kind: kinds[kind],
    spanContext: () => ({ traceId: trace.id, spanId: id, traceFlags }),
    ...(parent !== undefined && {
      parentSpanContext: { traceId: trace.id, spanId: parent, traceFlags, isRemote: remoteParentKinds.has(kind) },
    }),
    startTime: hrTime(start),
    endTime: hrTime(start + ms),
    duration: hrTime(ms),
    status: { code: failed ? failedCode : unsetCode },
    attributes,
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
