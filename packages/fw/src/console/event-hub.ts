import { roughBytes } from "../lib/rough-bytes.ts";
import type { AnsweredRequest, RequestWatcher, RunningRequest } from "../runtime/hooks.ts";
import type { Span } from "../runtime/observe/span.ts";

/** How many events the hub keeps, and about how many bytes of them. */
const keptEvents = 10_000;
const keptBytes = 16_000_000;

/** What a service said. */
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

/** Events with the number of the first, counted from the start. */
export interface Events {
  /** To be given as `after` the next time. */
  readonly last: number;
  readonly events: readonly ConsoleEvent[];
  /** Requests that are not answered yet, the oldest first. */
  readonly running: readonly RunningRequest[];
}

/** What has happened lately, for who looks at it as it happens. */
export class EventHub implements RequestWatcher {
  #events: ConsoleEvent[] = [];
  /** The bytes of each event. */
  #sizes: number[] = [];
  #bytes = 0;
  /** Of the first that is kept. */
  #first = 1;
  readonly #running = new Map<string, () => RunningRequest>();
  /** Those of other processes, as these were asked last. */
  #elsewhere: readonly RunningRequest[] = [];

  began(id: string, known: () => RunningRequest): void {
    this.#running.set(id, known);
  }

  answered(request: AnsweredRequest): void {
    this.#running.delete(request.id);
    this.add({ kind: "request", ...request });
  }

  spanEnded({ trace, id, parent, name, failed, startedAt, ms }: Span): void {
    const at = performance.timeOrigin + startedAt;
    this.add({ kind: "span", at, ms, trace: trace.id, id, ...(parent !== undefined && { parent }), name, failed });
  }

  /** Replaces what runs in other processes. */
  runsElsewhere(running: readonly RunningRequest[]): void {
    this.#elsewhere = running;
  }

  add(event: ConsoleEvent): void {
    const bytes = roughBytes(event);
    this.#events.push(event);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    // Now and then, so that an event costs the same however many there are.
    if (this.#events.length >= 2 * keptEvents || this.#bytes >= 2 * keptBytes) this.#forget();
  }

  /** Drops the oldest events down to both bounds, but never the newest. */
  #forget(): void {
    let dropped = 0;
    const last = this.#events.length - 1;
    while (dropped < last && (this.#events.length - dropped > keptEvents || this.#bytes > keptBytes)) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.#first += dropped;
    this.#events.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }

  /** The newest that came after a number, at most as many as are kept; 0 for all of them. */
  after(number: number): Events {
    const last = this.#first + this.#events.length - 1;
    // A number of another process is none of these.
    const from = number > last ? 0 : Math.max(0, number - this.#first + 1);
    const running = [...this.#elsewhere, ...[...this.#running.values()].map((known) => known())];
    return {
      last,
      running: running.toSorted((a, b) => a.at - b.at),
      events: this.#events.slice(Math.max(from, this.#events.length - keptEvents)),
    };
  }
}
