import type { RequestWatcher, WatchedRequest } from "../../runtime/hooks.ts";
import type { Span, SpanOperation } from "../../runtime/observe/span.ts";
import { traceIdOf } from "../../runtime/observe/trace.ts";
import { unmatched } from "../../runtime/observe/metrics/unmatched.ts";
import type { ConsoleEvent } from "../event-hub.ts";
import { bytesOfEvent, EventLog } from "../recording/event-log.ts";
import { requestEvent, type RequestEvent, type RunningRequest } from "../recording/request-events.ts";
import { LoadFilter } from "../recording/load-filter.ts";
import { RunningRequests } from "../recording/running-requests.ts";
import { captureWithoutValues } from "../recording/operation-details.ts";
import { SpanRecord } from "../recording/span-record.ts";
import { StepTotals, type StepTotal } from "../recording/step-totals.ts";
import { TraceShare } from "./trace-share.ts";

/** Limit: requests and spans of kept traces in each process of a service, until the dashboard has collected them. */
const sampledSteps = 4_000;

/** Limit: the approximate bytes of these requests and spans. */
const sampledStepBytes = 4_000_000;

/** Limit: requests and spans that a process of a service holds until it decides about their trace. */
const undecidedSpans = 5_000;

/** Limit: the approximate bytes of these requests and spans. */
const undecidedSpanBytes = 4_000_000;

type UndecidedEvent = SpanRecord | RequestEvent;

/** The events of a trace that is still undecided. */
interface UndecidedTrace {
  readonly events: UndecidedEvent[];
  bytes: number;
}

/** The traces that a service keeps even if no other service does. */
export interface TraceSelection {
  /** The share of ordinary requests, from 0 to 1. */
  readonly share: number;
  /** The minimum milliseconds of a slow request or delivery. */
  readonly slow: number;
}

/**
 * Keeps the traces of failed and slow requests and a share of the others. Holds spans outside the share until it can
 * decide about their trace.
 */
export class TraceSampler implements RequestWatcher {
  readonly #kept: EventLog = new EventLog({ entries: sampledSteps, bytes: sampledStepBytes });
  readonly #running: RunningRequests = new RunningRequests();
  /** Chooses requests to time outside sampled traces. */
  readonly #timingFilter = new LoadFilter();
  /** By trace, oldest first. */
  readonly #undecided = new Map<string, UndecidedTrace>();
  /** The queries and calls of all traces since the last report. */
  readonly #totals = new StepTotals();
  #undecidedCount = 0;
  #undecidedBytes = 0;
  readonly #share: TraceShare;
  readonly #slow: number;

  constructor({ share, slow }: TraceSelection) {
    this.#share = new TraceShare(share);
    this.#slow = slow;
  }

  requestBegan(request: WatchedRequest): void {
    this.#running.add(request, this.#share.includes(endOfTrace(request)) || this.#timingFilter.takes());
  }

  requestEnded(request: WatchedRequest, ms: number, status: number): void {
    // Under load, most requests stop here. Their handlers were not timed, so they are not sampled.
    const isOrdinary = status < 500 && ms < this.#slow && request.caller === undefined;
    if (this.#running.removeNewest(request) && isOrdinary && this.#undecidedCount === 0) return;
    const gate = this.#running.remove(request, ms);
    const isSampled = this.#share.includes(endOfTrace(request));
    if (isSampled) this.#share.count();
    if (isSampled || status >= 500 || (ms >= this.#slow && !request.streams)) {
      this.#kept.addRequest(request, ms, status, gate, pathWithoutValues(request));
      // Most requests have no spans, so they need no trace id.
      if (this.#undecidedCount > 0) this.keep(traceOf(request));
    } else if (request.caller === undefined) {
      if (this.#undecidedCount > 0) this.#forget(traceOf(request));
    }
    // The caller's request may still fail or be slow.
    else this.#wait(traceOf(request), { ...requestEvent(request, ms, status, gate), path: pathWithoutValues(request) });
  }

  spanEnded(span: Span, operation?: SpanOperation): void {
    // Operators must not see values of documents.
    const captured = operation && captureWithoutValues(operation);
    const record = new SpanRecord(span, captured);
    this.#totals.add(span, captured);
    const { id } = span.trace;
    const isRoot = span.parent === undefined;
    if (this.#share.includes(id)) {
      if (span.kind === "consumer" || isRoot) this.#share.count();
      return this.#kept.addSpan(record);
    }
    this.#wait(id, record);
    // Deliveries and crons have no request, so the end of their own span decides.
    if (span.kind !== "consumer" && !isRoot) return;
    if (span.failed || span.ms >= this.#slow) this.keep(id);
    else if (isRoot) this.#forget(id);
  }

  /** Keeps the events of a trace that this process has recorded. */
  keep(trace: string): void {
    const entry = this.#undecided.get(trace);
    if (entry === undefined) return;
    this.#forget(trace);
    for (const event of entry.events)
      if (event instanceof SpanRecord) this.#kept.addSpan(event);
      else this.#kept.add(event);
  }

  /** Returns the queries and calls of all traces since the last call. */
  takeTotals(): readonly StepTotal[] {
    return this.#totals.take();
  }

  get last(): number {
    return this.#kept.last;
  }

  after(number: number): readonly ConsoleEvent[] {
    return this.#kept.after(number);
  }

  running(): readonly RunningRequest[] {
    return this.#running.all().map((request) => ({ ...request, path: pathWithoutValues(request) }));
  }

  #wait(trace: string, event: UndecidedEvent): void {
    const entry = this.#undecided.get(trace) ?? this.#beginWait(trace);
    const bytes = event instanceof SpanRecord ? event.bytes : bytesOfEvent(event);
    entry.events.push(event);
    entry.bytes += bytes;
    this.#undecidedCount += 1;
    this.#undecidedBytes += bytes;
    while (this.#undecidedCount > undecidedSpans || this.#undecidedBytes > undecidedSpanBytes) this.#forgetOldest();
  }

  #beginWait(trace: string): UndecidedTrace {
    const entry = { events: [], bytes: 0 };
    this.#undecided.set(trace, entry);
    return entry;
  }

  #forgetOldest(): void {
    const [oldest] = this.#undecided.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(trace: string): void {
    const entry = this.#undecided.get(trace);
    if (entry === undefined) return;
    this.#undecidedCount -= entry.events.length;
    this.#undecidedBytes -= entry.bytes;
    this.#undecided.delete(trace);
  }
}

/** Returns the trace's id, or the request's id, which is the end of a derived trace id. */
function endOfTrace({ foreignTrace, requestId }: WatchedRequest): string {
  return foreignTrace ?? requestId;
}

function traceOf({ foreignTrace, requestId }: WatchedRequest): string {
  return foreignTrace ?? traceIdOf(requestId);
}

/**
 * Returns the path of a request as operators may see it. Operators must not see ids and tokens, such as an
 * invitation's, so the declared pattern replaces the path. The pattern of a mount is the mount's own path.
 */
function pathWithoutValues({ route }: Pick<WatchedRequest, "route">): string {
  return route === unmatched ? unmatched : route.slice(route.indexOf(" ") + 1);
}
