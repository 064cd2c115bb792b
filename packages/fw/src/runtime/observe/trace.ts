import { newRequestId } from "./request-id.ts";

/** What requests of several services on behalf of one have in common. */
export interface Trace {
  /** 128 bits in hexadecimal. */
  readonly id: string;
  /** Two hexadecimal digits, passed on as they came. */
  readonly flags: string;
  /** The step of it that this is, 64 bits in hexadecimal; absent where nobody is told of steps. */
  readonly span?: string;
}

/** Whether logs name their trace: where all services run in one process, a request's id says as much. */
export function isTraced({ services, callers, spans }: Traced): boolean {
  return services !== undefined || callers !== undefined || spans !== undefined;
}

interface Traced {
  readonly services?: unknown;
  readonly callers?: unknown;
  readonly spans?: unknown;
}

/** `recorded` where somebody is told of its steps. */
export function newTrace(recorded = false): Trace {
  return { id: newRequestId() + newRequestId(), flags: recorded ? "01" : "00" };
}

/** Whether somebody is to be told of the steps of a trace. */
export function isRecorded({ flags }: Trace): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}

/** The step of which a `traceparent` header speaks; undefined where it is none. */
export function spanIn(header: string | undefined): string | undefined {
  return readTrace(header) && header?.split("-")[2];
}

const grammar = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})($|-)/;

/** The trace of a W3C `traceparent` header; undefined where it is none. */
export function readTrace(header: string | undefined): Trace | undefined {
  const [, version, id, flags, rest] = (header !== undefined && grammar.exec(header)) || [];
  if (id === undefined || flags === undefined || (version === "00" && rest !== "")) return undefined;
  return { id, flags };
}

/** The trace of a `traceparent` with the step of which it speaks; undefined where it is none. */
export function stepIn(header: string | undefined): Trace | undefined {
  const [trace, span] = [readTrace(header), spanIn(header)];
  return trace && { ...trace, ...(span !== undefined && { span }) };
}

/** The `traceparent` of a new step of a trace. */
export function traceparent({ id, flags, span = newRequestId() }: Trace): string {
  return `00-${id}-${span}-${flags}`;
}
