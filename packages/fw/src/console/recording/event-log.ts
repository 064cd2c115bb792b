import { roughBytes } from "../../lib/rough-bytes.ts";
import type { WatchedRequest } from "../../runtime/hooks.ts";
import { traceIdOf } from "../../runtime/observe/trace.ts";
import type { ConsoleEvent } from "../event-hub.ts";
import { numberOf, relationsOf, startOf, type RequestEvent, type RequestRelations } from "./request-events.ts";
import { SpanRecord } from "./span-record.ts";

/** An event's size without its strings, in bytes. */
const fixedEventBytes = 200;

interface Bounds {
  readonly entries: number;
  /** The approximate limit of their total bytes. */
  readonly bytes: number;
}

/**
 * A ring buffer of a process's newest events, numbered from 1. A request takes a few numbers in typed arrays and a few
 * references. Recording it allocates nothing, unless it has a session, a calling service or an external trace. Its
 * event is created when the console asks for it.
 */
export class EventLog {
  readonly #bounds: Bounds;
  readonly #starts: Float64Array;
  readonly #durations: Float64Array;
  readonly #gates: Float64Array;
  readonly #statuses: Uint16Array;
  readonly #sizes: Float64Array;
  readonly #ids: string[];
  readonly #methods: string[];
  readonly #paths: string[];
  readonly #routes: string[];
  readonly #services: (string | undefined)[];
  readonly #details: (RequestRelations | ConsoleEvent | SpanRecord | undefined)[];
  #bytes = 0;
  /** The numbers of the oldest and the newest event. */
  #first = 1;
  #last = 0;

  constructor(bounds: Bounds) {
    const { entries } = (this.#bounds = bounds);
    this.#starts = new Float64Array(entries);
    this.#durations = new Float64Array(entries);
    this.#gates = new Float64Array(entries);
    this.#statuses = new Uint16Array(entries);
    this.#sizes = new Float64Array(entries);
    this.#ids = Array<string>(entries).fill("");
    this.#methods = Array<string>(entries).fill("");
    this.#paths = Array<string>(entries).fill("");
    this.#routes = Array<string>(entries).fill("");
    this.#services = Array<string | undefined>(entries).fill(undefined);
    this.#details = Array<undefined>(entries).fill(undefined);
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Adds a complete event, such as one from another process. */
  add(event: ConsoleEvent): void {
    this.#details[this.#take(bytesOfEvent(event))] = event;
  }

  addSpan(span: SpanRecord): void {
    this.#details[this.#take(span.bytes)] = span;
  }

  /**
   * Adds a completed request. `gate` is NaN if it is unknown. `path` replaces the request's path to hide values in it.
   */
  addRequest(request: WatchedRequest, ms: number, status: number, gate: number, path: string = request.path): void {
    const { route } = request;
    const slot = this.#take(fixedEventBytes + path.length + route.length);
    this.#starts[slot] = startOf(request);
    this.#durations[slot] = ms;
    this.#gates[slot] = gate;
    this.#statuses[slot] = status;
    this.#ids[slot] = request.requestId;
    this.#methods[slot] = request.exchange.method;
    this.#paths[slot] = path;
    this.#routes[slot] = route;
    this.#services[slot] = request.service;
    this.#details[slot] = relationsOf(request);
  }

  /** Returns the retained events after `number`; 0 returns all. */
  after(number: number): readonly ConsoleEvent[] {
    // A number after the last event is from an earlier process: start from the first event.
    const from = number > this.#last ? this.#first : Math.max(this.#first, number + 1);
    return Array.from({ length: this.#last - from + 1 }, (_, i) => this.#event((from + i) % this.#bounds.entries));
  }

  /** Returns the newest `count` events, but leaves out requests of this process. */
  newest(count: number): readonly (ConsoleEvent | SpanRecord)[] {
    const from = Math.max(this.#first, this.#last - count + 1);
    const slots = Array.from({ length: this.#last - from + 1 }, (_, i) => (from + i) % this.#bounds.entries);
    return slots.flatMap((slot) => {
      const details = this.#details[slot];
      return details === undefined || !("kind" in details || details instanceof SpanRecord) ? [] : [details];
    });
  }

  #event(slot: number): ConsoleEvent {
    const [status = 0, details] = [this.#statuses[slot], this.#details[slot]];
    if (status !== 0) return this.#request(slot, status, details as RequestRelations | undefined);
    return details instanceof SpanRecord ? details.view() : (details as ConsoleEvent);
  }

  #request(slot: number, status: number, relations: RequestRelations | undefined): RequestEvent {
    const id = this.#ids[slot] ?? "";
    return {
      kind: "request",
      id,
      trace: relations?.trace ?? traceIdOf(id),
      method: this.#methods[slot] ?? "",
      path: this.#paths[slot] ?? "",
      route: this.#routes[slot] ?? "",
      at: this.#starts[slot] ?? 0,
      ms: this.#durations[slot] ?? 0,
      gate: numberOf(this.#gates[slot] ?? NaN),
      service: this.#services[slot],
      caller: relations?.caller,
      parent: relations?.parent,
      user: relations?.user,
      status,
    };
  }

  /**
   * Returns the slot for a new event. Drops the oldest events until both limits are met, but never the newest event.
   */
  #take(bytes: number): number {
    const { entries, bytes: mostBytes } = this.#bounds;
    if (this.#last - this.#first + 1 === entries) this.#dropOldest();
    this.#last += 1;
    const slot = this.#last % entries;
    this.#statuses[slot] = 0;
    this.#sizes[slot] = bytes;
    this.#bytes += bytes;
    while (this.#bytes > mostBytes && this.#first < this.#last) this.#dropOldest();
    return slot;
  }

  #dropOldest(): void {
    const slot = this.#first % this.#bounds.entries;
    this.#bytes -= this.#sizes[slot] ?? 0;
    this.#details[slot] = undefined;
    // Release the strings of the dropped row, which may be long, because its slot may stay free for a long time.
    this.#paths[slot] = this.#routes[slot] = "";
    this.#first += 1;
  }
}

/**
 * Estimates the memory of an event. For requests and spans, which are frequent, counts only strings of unlimited
 * length.
 */
export function bytesOfEvent(event: ConsoleEvent): number {
  if (event.kind === "log") return roughBytes(event);
  if (event.kind === "request") return 2 * fixedEventBytes + 2 * (event.path.length + event.route.length);
  const texts = event.name.length + (event.documents?.length ?? 0);
  return 2 * fixedEventBytes + 2 * texts + (event.details === undefined ? 0 : roughBytes(event.details));
}
