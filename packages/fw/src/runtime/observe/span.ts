import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { newRequestId } from "./request-id.ts";
import { isRecorded, type Trace } from "./trace.ts";

export interface Span extends SpanKind {
  readonly trace: Trace;
  /** 64 bits in hexadecimal; for a request, its id. */
  readonly id: string;
  /** The parent span, possibly in the caller; undefined if unknown. */
  readonly parent: string | undefined;
  readonly failed: boolean;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
  readonly ms: number;
}

export interface SpanKind {
  /** OpenTelemetry's kinds: `server` and `consumer` handle an incoming message, `client` and `producer` send one. */
  readonly kind: "server" | "client" | "producer" | "consumer" | "internal";
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The attribute with the number of documents that fw rewrote before a query could use its index. */
export const documentsAttribute = "fw.documents";

/** The subject of an outgoing request's span, for consoles on the developer's own machine. */
export interface OutgoingSubject {
  readonly kind: "outgoing";
  /** The host and the path, with masked values in its query. */
  readonly target: string;
}

/** Receives finished spans. A data operation comes with its arguments and result, which must not reach a collector. */
export type SpanSink = (span: Span, operation?: SpanOperation) => void;

/** The arguments of the operation that a span measured, and its result or error. */
export type SpanOperation = readonly [args: readonly unknown[], result: unknown];

export interface ActiveSpan {
  readonly trace: Trace;
  /** Ends the span. Later calls are no-ops. */
  end(failed: boolean, operation?: SpanOperation): void;
}

/** Starts a span in a trace. A no-op if spans are not exported or the trace is not recorded. */
export function beginSpan(spans: SpanSink | undefined, trace: Trace, kind: SpanKind): ActiveSpan {
  if (spans === undefined || !isRecorded(trace)) return { trace, end: () => {} };
  return new SpanInProgress(spans, trace, kind);
}

class SpanInProgress implements ActiveSpan {
  readonly #spans: SpanSink;
  readonly #outer: Trace;
  readonly #kind: SpanKind;
  readonly #id = newRequestId();
  readonly #startedAt = performance.now();
  #isEnded = false;

  constructor(spans: SpanSink, outer: Trace, kind: SpanKind) {
    this.#spans = spans;
    this.#outer = outer;
    this.#kind = kind;
  }

  get trace(): Trace {
    return { ...this.#outer, span: this.#id, route: this.#outer.route ?? this.#kind.name };
  }

  end(failed: boolean, operation?: SpanOperation): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const ms = performance.now() - this.#startedAt;
    const { kind, name, attributes } = this.#kind;
    const trace = this.#outer;
    const span = {
      kind,
      name,
      attributes,
      trace,
      id: this.#id,
      parent: trace.span,
      failed,
      startedAt: this.#startedAt,
      ms,
    };
    this.#spans(span, operation);
  }
}

/** True for errors that fail a span: all except a StatusError below 500. */
export function isFailure(error: unknown): boolean {
  return !(isA(error, StatusError) && error.status < 500);
}
