import type { RequestWatcher, WatchedRequest } from "../../runtime/hooks.ts";
import type { Span, SpanOperation } from "../../runtime/observe/span.ts";
import { traceIdOf } from "../../runtime/observe/trace.ts";
import type { ConsoleEvent } from "../event-hub.ts";
import { EventLog } from "../recording/event-log.ts";
import { requestEvent, runningRequest, type RequestEvent, type RunningRequest } from "../recording/request-events.ts";
import { RunningRequests } from "../recording/running-requests.ts";
import { captureOperation, withoutValues, type CapturedOperation } from "../recording/operation-details.ts";
import { SpanRecord } from "../recording/span-record.ts";

/** Limit: milliseconds from which a request counts as slow, so that the dashboard of `fw serve` keeps its trace. */
export const slowRequestMs = 500;

/** Limit: requests and spans of kept traces in each process of a service, until the dashboard has collected them. */
const sampledSteps = 4_000;

/** Limit: about the bytes of those requests and spans. */
const sampledStepBytes = 4_000_000;

/** Limit: spans in each process of a service whose request has not ended, or whose caller may keep its trace. */
const undecidedSpans = 5_000;

type Undecided = SpanRecord | RequestEvent;

/**
 * Keeps the traces of failed and slow requests and of a share of the others. The decision follows a request, so its
 * spans wait for its end. All services keep the same share, because it depends on the trace's id alone.
 */
export class TraceSampler implements RequestWatcher {
  readonly #kept: EventLog = new EventLog({ entries: sampledSteps, bytes: sampledStepBytes });
  readonly #running: RunningRequests = new RunningRequests();
  /** By trace, the oldest first. */
  readonly #undecided = new Map<string, Undecided[]>();
  #undecidedCount = 0;
  readonly #sampledBelow: number;

  /** `share` is from 0 to 1. */
  constructor(share: number) {
    this.#sampledBelow = share * 2 ** 32;
  }

  requestBegan(request: WatchedRequest): void {
    this.#running.add(request);
  }

  requestEnded(request: WatchedRequest, ms: number, status: number): void {
    this.#running.remove(request);
    const trace = request.foreignTrace ?? traceIdOf(request.requestId);
    if (status >= 500 || (ms >= slowRequestMs && !request.streams) || this.#isSampled(trace)) {
      this.#kept.addRequest(request, ms, status, pathWithoutValues(request));
      this.keep(trace);
    } else if (request.caller === undefined) this.#forget(trace);
    // The caller's request may yet fail or be slow.
    else this.#wait(trace, { ...requestEvent(request, ms, status), path: pathWithoutValues(request) });
  }

  spanEnded(span: Span, operation?: SpanOperation): void {
    const record = new SpanRecord(span, operation && anonymousOperation(operation));
    const { id } = span.trace;
    if (this.#isSampled(id)) return this.#kept.addSpan(record);
    this.#wait(id, record);
    // A delivery and a cron are no requests: their own spans end them.
    const isRoot = span.parent === undefined;
    if (span.kind !== "consumer" && !isRoot) return;
    if (span.failed || span.ms >= slowRequestMs) this.keep(id);
    else if (isRoot) this.#forget(id);
  }

  /** Keeps what this process knows of a trace. */
  keep(trace: string): void {
    const events = this.#undecided.get(trace);
    if (events === undefined) return;
    this.#forget(trace);
    for (const event of events)
      if (event instanceof SpanRecord) this.#kept.addSpan(event);
      else this.#kept.add(event);
  }

  get last(): number {
    return this.#kept.last;
  }

  /** Returns the kept events after a number. */
  after(number: number): readonly ConsoleEvent[] {
    return this.#kept.after(number);
  }

  running(): readonly RunningRequest[] {
    return this.#running.all().map((request) => ({ ...runningRequest(request), path: pathWithoutValues(request) }));
  }

  #isSampled(trace: string): boolean {
    return Number.parseInt(trace.slice(-8), 16) < this.#sampledBelow;
  }

  #wait(trace: string, event: Undecided): void {
    const events = this.#undecided.get(trace);
    if (events === undefined) this.#undecided.set(trace, [event]);
    else events.push(event);
    this.#undecidedCount += 1;
    while (this.#undecidedCount > undecidedSpans) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#undecided.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(trace: string): void {
    this.#undecidedCount -= this.#undecided.get(trace)?.length ?? 0;
    this.#undecided.delete(trace);
  }
}

/** Ids in a path, and tokens such as that of an invitation, are not for operators: they get the declared pattern. */
function pathWithoutValues({ path, route }: WatchedRequest): string {
  return route.includes("{") ? route.slice(route.indexOf(" ") + 1) : path;
}

/** Values of documents are not for operators. */
function anonymousOperation(operation: SpanOperation): CapturedOperation | undefined {
  const captured = captureOperation(operation);
  return captured && withoutValues(captured);
}
