import { newRequestId } from "./request-id.ts";

/** A distributed trace: the requests to several services that one original request caused. */
export interface Trace {
  /** 128 bits in hexadecimal. */
  readonly id: string;
  /** Two hexadecimal digits of trace flags. */
  readonly flags: string;
  /** The current span, 64 bits in hexadecimal; absent if spans are not exported. */
  readonly span?: string;
  /** The route, delivery, cron or job that its current operations belong to; absent if spans are not exported. */
  readonly route?: string;
}

/** True if log lines contain the trace id. If all services run in one process, the request's id is enough. */
export function isTraced({ services, callers, exportsTraces }: TraceSources): boolean {
  return services !== undefined || callers !== undefined || exportsTraces;
}

/** True if messages carry the trace. It identifies the log lines of deliveries, which have no request id. */
export function isFollowed(sources: TraceSources & { readonly spans?: unknown }): boolean {
  return isTraced(sources) || sources.spans !== undefined;
}

interface TraceSources {
  readonly services?: unknown;
  readonly callers?: unknown;
  readonly exportsTraces: boolean;
}

/** Creates a trace. `recorded` sets its sampled flag. */
export function newTrace(recorded = false): Trace {
  return { id: newRequestId() + newRequestId(), flags: recorded ? "01" : "00" };
}

/** Creates a trace that starts with a request and that no collector receives. Its id derives from the request's id. */
export function traceOfRequest(requestId: string, recorded: boolean): Trace {
  return { id: traceIdOf(requestId), flags: recorded ? "01" : "00" };
}

/** Derives a trace id of 128 bits from an id of 64 bits. */
export function traceIdOf(requestId: string): string {
  return `0000000000000000${requestId}`;
}

export function isRecorded({ flags }: Trace): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}

const grammar = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})($|-)/;

/** Parses a W3C `traceparent` header; undefined if it is invalid. */
export function parseTraceparent(header: string | undefined): (Trace & { readonly span: string }) | undefined {
  const [, version, id, span, flags, rest] = (header !== undefined && grammar.exec(header)) || [];
  if (id === undefined || span === undefined || flags === undefined) return undefined;
  return version === "00" && rest !== "" ? undefined : { id, flags, span };
}

/** Returns the trace of a `traceparent` header, without its span; undefined if it is invalid. */
export function readTrace(header: string | undefined): Trace | undefined {
  const step = parseTraceparent(header);
  return step && { id: step.id, flags: step.flags };
}

/** Formats the `traceparent` of a new span of a trace. */
export function traceparent({ id, flags, span = newRequestId() }: Trace): string {
  return `00-${id}-${span}-${flags}`;
}
