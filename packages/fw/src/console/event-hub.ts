import { roughBytes } from "../lib/rough-bytes.ts";
import type { AnsweredRequest, RequestWatcher, RunningRequest } from "../runtime/hooks.ts";
import type { Span } from "../runtime/observe/span.ts";

/** The most events in the hub, and the approximate limit of their bytes. */
const maxEvents = 10_000;
const maxBytes = 16_000_000;

/** A log entry of a service. */
export interface LogEvent {
  readonly kind: "log";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly severity: string;
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A request that was answered. */
export interface RequestEvent extends AnsweredRequest {
  readonly kind: "request";
}

/** A finished step of a trace: a request, a query, a call, or a message that was sent or handled. */
export interface SpanEvent {
  readonly kind: "span";
  /** The beginning, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly failed: boolean;
}

export type ConsoleEvent = LogEvent | RequestEvent | SpanEvent;

/** A batch of events. */
export interface Events {
  /** The number to pass as `after` next time. */
  readonly last: number;
  readonly events: readonly ConsoleEvent[];
  /** Requests in progress, the oldest first. */
  readonly running: readonly RunningRequest[];
}

/** Buffers recent events for the console. */
export class EventHub implements RequestWatcher {
  #events: ConsoleEvent[] = [];
  /** The bytes of each event. */
  #sizes: number[] = [];
  #bytes = 0;
  /** The number of the oldest event in the buffer. */
  #first = 1;
  readonly #running = new Map<string, () => RunningRequest>();
  /** Requests in progress in other processes, as of the last collection. */
  #elsewhere: readonly RunningRequest[] = [];

  began(id: string, snapshot: () => RunningRequest): void {
    this.#running.set(id, snapshot);
  }

  answered(request: AnsweredRequest): void {
    this.#running.delete(request.id);
    this.add({ kind: "request", ...request });
  }

  spanEnded({ trace, id, parent, name, failed, startedAt, ms }: Span): void {
    const at = performance.timeOrigin + startedAt;
    this.add({ kind: "span", at, ms, trace: trace.id, id, ...(parent !== undefined && { parent }), name, failed });
  }

  /** Replaces the requests in progress in other processes. */
  setRemoteRequests(running: readonly RunningRequest[]): void {
    this.#elsewhere = running;
  }

  add(event: ConsoleEvent): void {
    const bytes = roughBytes(event);
    this.#events.push(event);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    // Trims in batches, so that adding an event takes constant time on average.
    if (this.#events.length >= 2 * maxEvents || this.#bytes >= 2 * maxBytes) this.#forget();
  }

  /** Drops the oldest events to meet both limits, but never the newest. */
  #forget(): void {
    let dropped = 0;
    const last = this.#events.length - 1;
    while (dropped < last && (this.#events.length - dropped > maxEvents || this.#bytes > maxBytes)) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.#first += dropped;
    this.#events.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }

  /** Returns the events after a number, up to the limit; 0 for all. */
  after(number: number): Events {
    const last = this.#first + this.#events.length - 1;
    // A number of an earlier process means nothing here: start over.
    const from = number > last ? 0 : Math.max(0, number - this.#first + 1);
    const running = [...this.#elsewhere, ...[...this.#running.values()].map((known) => known())];
    return {
      last,
      running: running.toSorted((a, b) => a.at - b.at),
      events: this.#events.slice(Math.max(from, this.#events.length - maxEvents)),
    };
  }
}
