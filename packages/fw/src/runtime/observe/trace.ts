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

const grammar = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})($|-)/;

/** The trace of a W3C `traceparent` header with the step of which it speaks; undefined where it is none. */
export function stepIn(header: string | undefined): Required<Trace> | undefined {
  const [, version, id, span, flags, rest] = (header !== undefined && grammar.exec(header)) || [];
  if (id === undefined || span === undefined || flags === undefined) return undefined;
  return version === "00" && rest !== "" ? undefined : { id, flags, span };
}

/** The same without its step. */
export function readTrace(header: string | undefined): Trace | undefined {
  const step = stepIn(header);
  return step && { id: step.id, flags: step.flags };
}

/** The `traceparent` of a new step of a trace. */
export function traceparent({ id, flags, span = newRequestId() }: Trace): string {
  return `00-${id}-${span}-${flags}`;
}
