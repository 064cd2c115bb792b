import type { Blob } from "./blob.ts";
import { hasBrand } from "./brand.ts";
import type { Duration } from "./duration.ts";
import { exactText } from "../lib/exact-text.ts";
import { parseDuration } from "../lib/duration.ts";

const EVENT: unique symbol = Symbol.for("fw.event");
const EVENTS: unique symbol = Symbol.for("fw.events");

/** What a server-sent event says besides its data. */
export interface EventOptions {
  /** What a client that comes back says it has seen last, in `Last-Event-ID`. */
  readonly id?: string;
  /** What listeners know it by; `message` where nothing is said. */
  readonly name?: string;
  /** How long a client waits before it comes back, from now on. */
  readonly retry?: Duration;
}

/** One server-sent event. */
export interface ServerEvent<Data = unknown> extends EventOptions {
  readonly data: Data;
  readonly [EVENT]: true;
}

/** What an event of an iterable's value carries. */
export type EventData<Value> =
  Value extends ServerEvent<infer Data> ? EventData<Data> : Value extends undefined ? null : Value;

/** Server-sent events as an answer: bytes for whoever calls, typed data for the generated client. */
export interface Events<out Data> extends Blob {
  /** Never there: what each event carries, for the compiler. */
  readonly data?: Data;
}

/** How events are sent. */
export interface EventsOptions {
  /** A comment goes out where nothing else did for so long, `"15s"` by default: who is gone is noticed, and nobody on the way gives up. */
  readonly heartbeat?: Duration;
  /** How long a client waits before it comes back. */
  readonly retry?: Duration;
}

/** An event with more than its data: `yield event(order, { id: order.id, name: "placed" })`. */
export function event<Data>(data: Data, options: EventOptions = {}): ServerEvent<Data> {
  const said = { data, ...options, [EVENT]: true } as const;
  return Object.freeze(Object.defineProperty(said, EVENT, { enumerable: false }));
}

/**
 * Server-sent events as what an API answers: `return events(placed(ctx.signal))`. Each value that comes is an event with that as its
 * JSON, `event(…)` one that says more. A client that goes away, or a service that stops, ends the iterable.
 */
export function events<Value>(source: AsyncIterable<Value>, options: EventsOptions = {}): Events<EventData<Value>> {
  return new EventStream(source, options);
}

/** True for what `events` makes. */
export function isEventStream(value: unknown): value is EventStream {
  return hasBrand(value, EVENTS);
}

const defaultHeartbeat = "15s";

/** Events that are sent, as the bytes they come to. */
export class EventStream implements Blob {
  readonly type: string = "text/event-stream";
  readonly #source: AsyncIterable<unknown>;
  readonly #heartbeat: number;
  readonly #retry: string;
  readonly #ends = new Set<() => void>();

  constructor(source: AsyncIterable<unknown>, { heartbeat = defaultHeartbeat, retry }: EventsOptions) {
    Object.defineProperty(this, EVENTS, { value: true });
    this.#source = source;
    this.#heartbeat = milliseconds("heartbeat", heartbeat);
    this.#retry = retry === undefined ? "" : `retry: ${milliseconds("retry", retry)}\n\n`;
  }

  /** Ends what is being sent after the event that went out last. */
  end(): void {
    for (const end of this.#ends) end();
  }

  stream(): ReadableStream<Uint8Array> {
    const iterator = this.#source[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    let over = false;
    let beats: ReturnType<typeof setInterval> | undefined;
    let end: (() => void) | undefined;
    const finish = (): void => {
      over = true;
      clearInterval(beats);
      if (end !== undefined) this.#ends.delete(end);
      // One that waits for something ends when that comes; nobody waits for it any more.
      iterator.return?.().catch(() => undefined);
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => {
          finish();
          controller.close();
        };
        this.#ends.add(end);
        if (this.#retry !== "") controller.enqueue(encoder.encode(this.#retry));
        beats = setInterval(() => {
          if (!over && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
        }, this.#heartbeat);
      },
      pull: async (controller) => {
        try {
          const next = await iterator.next();
          if (over) return;
          if (next.done === true) return end?.();
          controller.enqueue(encoder.encode(textOf(next.value)));
          beats?.refresh();
        } catch (error) {
          if (over) return;
          finish();
          controller.error(error);
        }
      },
      cancel: finish,
    });
  }
}

function textOf(value: unknown): string {
  const { data, id, name, retry } = hasBrand(value, EVENT) ? (value as ServerEvent) : { data: value };
  const lines = [
    ...(name === undefined ? [] : [`event: ${lineOf("name", name)}`]),
    ...(id === undefined ? [] : [`id: ${lineOf("id", id)}`]),
    ...(retry === undefined ? [] : [`retry: ${milliseconds("retry", retry)}`]),
    `data: ${exactText(data ?? null) ?? "null"}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Throws a TypeError for a text that would begin another line, or another event. */
function lineOf(what: string, text: string): string {
  // oxlint-disable-next-line no-control-regex -- of these an event's lines consist
  if (/[\0\r\n]/.test(text)) throw new TypeError(`the ${what} of an event is one line: ${JSON.stringify(text)}`);
  return text;
}

function milliseconds(what: string, duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined || ms < 1 || ms > 2 ** 31 - 1)
    throw new TypeError(`the ${what} of events is no duration: ${JSON.stringify(duration)}`);
  return ms;
}
