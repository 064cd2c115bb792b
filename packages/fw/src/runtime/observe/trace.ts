import { newRequestId } from "./request-id.ts";

/** What requests of several services on behalf of one have in common. */
export interface Trace {
  /** 128 bits in hexadecimal. */
  readonly id: string;
  /** Two hexadecimal digits, passed on as they came. */
  readonly flags: string;
}

/** Whether logs name their trace: where all services run in one process, a request's id says as much. */
export function isTraced({ services, callers }: { readonly services: unknown; readonly callers: unknown }): boolean {
  return services !== undefined || callers !== undefined;
}

export function newTrace(): Trace {
  return { id: newRequestId() + newRequestId(), flags: "00" };
}

const grammar = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})($|-)/;

/** The trace of a W3C `traceparent` header; undefined where it is none. */
export function readTrace(header: string | undefined): Trace | undefined {
  const [, version, id, flags, rest] = (header !== undefined && grammar.exec(header)) || [];
  if (id === undefined || flags === undefined || (version === "00" && rest !== "")) return undefined;
  return { id, flags };
}

/** The `traceparent` of a new step of a trace. */
export function traceparent({ id, flags }: Trace): string {
  return `00-${id}-${newRequestId()}-${flags}`;
}
