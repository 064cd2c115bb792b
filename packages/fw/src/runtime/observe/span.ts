import type { Trace } from "./trace.ts";

/** A request that has ended, as a step of its trace. */
export interface RequestSpan {
  readonly trace: Trace;
  /** 64 bits in hexadecimal: the request's id. */
  readonly id: string;
  /** The step of whoever asked; undefined where nobody said it. */
  readonly parent: string | undefined;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
  readonly ms: number;
}

/** Takes the requests that are told to a collector. */
export type SpanSink = (span: RequestSpan) => void;
