import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { newRequestId } from "./request-id.ts";
import { isRecorded, type Trace } from "./trace.ts";

/** A step of a trace that has ended. */
export interface Span extends SpanKind {
  readonly trace: Trace;
  /** 64 bits in hexadecimal; a request's is its id. */
  readonly id: string;
  /** The step around it, or that of whoever asked; undefined where nobody said it. */
  readonly parent: string | undefined;
  readonly failed: boolean;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
  readonly ms: number;
}

/** What a step does. */
export interface SpanKind {
  /** Who asked it of whom: `server` and `consumer` do what came in, `client` and `producer` wait for what they sent. */
  readonly kind: "server" | "client" | "producer" | "consumer" | "internal";
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Takes the steps that are told to a collector. */
export type SpanSink = (span: Span) => void;

/** A step under way. */
export interface BegunSpan {
  /** The trace as what is done in the step has it. */
  readonly trace: Trace;
  /** Tells it, once. */
  end(failed: boolean): void;
}

/** Begins a step of a trace; where nobody is told of steps, there is none. */
export function beginSpan(spans: SpanSink | undefined, trace: Trace, kind: SpanKind): BegunSpan {
  if (spans === undefined || !isRecorded(trace)) return { trace, end: () => {} };
  const [id, startedAt] = [newRequestId(), performance.now()];
  let over = false;
  return {
    trace: { ...trace, span: id },
    end(failed) {
      if (over) return;
      over = true;
      spans({ ...kind, trace, id, parent: trace.span, failed, startedAt, ms: performance.now() - startedAt });
    },
  };
}

/** Whether an error is one of the program or of what it relies on, and none that a visitor may read. */
export function isFailure(error: unknown): boolean {
  return !(isA(error, StatusError) && error.status < 500);
}
