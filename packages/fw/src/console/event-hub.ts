import type { RequestWatcher, WatchedRequest } from "../runtime/hooks.ts";
import type { Span, SpanOperation } from "../runtime/observe/span.ts";
import { ExchangeLog } from "./recording/exchange-log.ts";
import type { ExchangeView } from "./recording/exchange-view.ts";
import { EventLog } from "./recording/event-log.ts";
import { captureOperation, type OperationDetails } from "./recording/operation-details.ts";
import { copyDocuments } from "./recording/read-documents.ts";
import type { RecordedExchange } from "./recording/recorded-exchange.ts";
import { LoadFilter } from "./recording/load-filter.ts";
import type { RequestEvent, RunningRequest } from "./recording/request-events.ts";
import { RunningRequests } from "./recording/running-requests.ts";
import { SpanRecord } from "./recording/span-record.ts";
import { StepTotals, type StepTotal } from "./recording/step-totals.ts";
import type { ProcessLoad } from "./timeline/process-load.ts";

/** The maximum number of events in the hub, and the approximate limit of their total bytes. */
const eventBounds = { entries: 10_000, bytes: 16_000_000 };

/** The maximum number of requests with recorded headers and bodies, and the limit of their total bytes. */
const exchangeBounds = { entries: 5_000, bytes: 16_000_000 };

/**
 * The maximum number of ordinary requests per second that become events. At higher rates, the hub would hold only a few
 * seconds, and filling it would slow the application down.
 */
const eventsPerSecond = 1_000;

/** The minimum duration of a slow request, in milliseconds. Slow and failed requests always become events. */
const slowMs = 500;

/** The number of newest events to search for steps of a request in progress. */
const countedEvents = 2_000;

export interface LogEvent {
  readonly kind: "log";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly severity: string;
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A completed step of a trace: a query, a call, or a message that was sent or handled. */
export interface SpanEvent {
  readonly kind: "span";
  /** The start in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly failed: boolean;
  /** Identifies the steps that are counted together; absent if they are not counted. */
  readonly shape?: string;
  /** The name of an outgoing request's step without values, which equal requests share. */
  readonly group?: string;
  /** The status of the response to an outgoing request. */
  readonly status?: number;
  /** The code of an error that ended an outgoing request. */
  readonly error?: string;
  /** The query of an operation on an entity, and the documents that it read or wrote. */
  readonly details?: OperationDetails;
  /**
   * The documents that the operation returned, as tagged JSON; absent under load, or if there are none, too many or too
   * long ones.
   */
  readonly documents?: string;
  /** The number of the delivery attempt, from 1; absent if the step does not deliver a message. */
  readonly attempt?: number;
}

export interface StepCounts {
  readonly queries: number;
  readonly errors: number;
}

export type ConsoleEvent = LogEvent | RequestEvent | SpanEvent;

export interface Events {
  /** The number to pass as `after` next time. */
  readonly last: number;
  readonly events: readonly ConsoleEvent[];
  /** Requests in progress, oldest first. */
  readonly running: readonly RunningRequest[];
}

/** Keeps recent events for the console, and the headers and bodies of requests. */
export class EventHub implements RequestWatcher {
  readonly #events = new EventLog(eventBounds);
  readonly #exchanges = new ExchangeLog(exchangeBounds);
  readonly #running = new RunningRequests();
  /** Chooses the ordinary requests that become events. */
  readonly #eventFilter = new LoadFilter(eventsPerSecond);
  /** Chooses the requests whose handlers are timed. */
  readonly #timingFilter = new LoadFilter();
  /** Chooses the operations whose documents are copied. */
  readonly #copyFilter = new LoadFilter();
  readonly #loads = new Map<string, ProcessLoad>();
  /** The queries and calls since the last sample. */
  readonly #totals = new StepTotals();
  /** Failed deliveries by consumer since the last sample. */
  readonly #failures = new Map<string, number>();
  /** Requests in progress in other processes, as of the last collection. */
  #elsewhere: readonly RunningRequest[] = [];

  requestBegan(request: WatchedRequest): void {
    this.#running.add(request, this.#timingFilter.takes());
  }

  requestEnded(request: WatchedRequest, ms: number, status: number): void {
    const gate = this.#running.remove(request, ms);
    if (status >= 400 || ms >= slowMs || this.#eventFilter.takes()) this.#events.addRequest(request, ms, status, gate);
  }

  spanEnded(span: Span, operation?: SpanOperation): void {
    const summary = operation && captureOperation(operation);
    const documents = summary && this.#copyFilter.takes() ? copyDocuments(operation) : undefined;
    this.#events.addSpan(new SpanRecord(span, summary, documents));
    this.#totals.add(span, summary);
    if (span.failed && span.kind === "consumer") this.#countFailure(span.name);
  }

  /** Counts a request's entity operations and errors among the newest events of this process. */
  countSteps({ id, trace }: Pick<RunningRequest, "id" | "trace">): StepCounts {
    const counts = { queries: 0, errors: 0 };
    for (const event of this.#events.newest(countedEvents)) {
      if (event instanceof SpanRecord) {
        if (event.trace !== trace) continue;
        if (event.isQuery) counts.queries += 1;
        if (event.failed) counts.errors += 1;
      } else if (event.kind === "log" && event.severity === "ERROR" && event.fields["req"] === id) counts.errors += 1;
    }
    return counts;
  }

  /** Replaces the requests in progress in other processes. */
  setRemoteRequests(running: readonly RunningRequest[]): void {
    this.#elsewhere = running;
  }

  add(event: ConsoleEvent): void {
    this.#events.add(event);
    if (event.kind === "span" && event.failed && event.attempt !== undefined) this.#countFailure(event.name);
  }

  #countFailure(consumer: string): void {
    this.#failures.set(consumer, (this.#failures.get(consumer) ?? 0) + 1);
  }

  /** Returns the number of failed deliveries to each consumer since the last call. */
  takeFailures(): Readonly<Record<string, number>> {
    const failures = Object.fromEntries(this.#failures);
    this.#failures.clear();
    return failures;
  }

  /** Adds the queries and calls of another process since its last report. */
  addTotals(totals: readonly StepTotal[]): void {
    this.#totals.merge(totals);
  }

  /** Returns the queries and calls since the last call. */
  takeTotals(): readonly StepTotal[] {
    return this.#totals.take();
  }

  readonly addExchange = (exchange: RecordedExchange): void => this.#exchanges.add(exchange);

  /** Adds the headers and bodies of a request that another process recorded. */
  addRemoteExchange(view: ExchangeView): void {
    this.#exchanges.addView(view);
  }

  /** Returns the headers and bodies of a request; undefined if they were not recorded or have been dropped. */
  exchange(id: string): ExchangeView | undefined {
    return this.#exchanges.find(id);
  }

  /** Returns the retained headers and bodies after `number`; 0 returns all. */
  exchangesAfter(number: number): Exchanges {
    return { last: this.#exchanges.last, exchanges: this.#exchanges.after(number) };
  }

  /** Adds the load of a process since its last report. */
  addLoad(name: string, load: ProcessLoad): void {
    const before = this.#loads.get(name);
    this.#loads.set(name, { ...load, delay: Math.max(load.delay, before?.delay ?? 0) });
  }

  /** Returns the load of each process since the last call. */
  takeLoads(): Readonly<Record<string, ProcessLoad>> {
    const loads = Object.fromEntries(this.#loads);
    this.#loads.clear();
    return loads;
  }

  /** Returns the retained events after `number`, and the requests in progress; 0 returns all events. */
  after(number: number): Events {
    const running = [...this.#elsewhere, ...this.#running.all()];
    return {
      last: this.#events.last,
      running: running.toSorted((a, b) => a.at - b.at),
      events: this.#events.after(number),
    };
  }
}

/** A batch of headers and bodies. */
interface Exchanges {
  readonly last: number;
  readonly exchanges: readonly ExchangeView[];
}
