import type { Blob } from "./blob.ts";
import { hasBrand } from "./brand.ts";
import type { Duration } from "./duration.ts";
import { exactText } from "../lib/exact-text.ts";
import { parseDuration } from "../lib/duration.ts";

const EVENT: unique symbol = Symbol.for("fw.event");
const EVENTS: unique symbol = Symbol.for("fw.events");

/** Options of an event. */
export interface EventOptions {
  /** The event's id. A reconnecting client sends the last one in `Last-Event-ID`. */
  readonly id?: string;
  /** The event's type for `addEventListener`; `message` by default. */
  readonly name?: string;
  /** The client's reconnection delay after this event. */
  readonly retry?: Duration;
}

/** A server-sent event. */
export interface ServerEvent<Data = unknown> extends EventOptions {
  readonly data: Data;
  readonly [EVENT]: true;
}

/** The data type of the events of an iterable. */
export type EventData<Value> =
  Value extends ServerEvent<infer Data> ? EventData<Data> : Value extends undefined ? null : Value;

/** A response of server-sent events, typed for the generated client. */
export interface Events<out Data> extends Blob {
  /** Never set; exists only for the type of the events' data. */
  readonly data?: Data;
}

/** Options of `events`. */
export interface EventsOptions {
  /**
   * The heartbeat interval, `"15s"` by default. An idle stream sends comments, so that proxies do not close it and
   * disconnected clients are detected.
   */
  readonly heartbeat?: Duration;
  /** The client's reconnection delay. */
  readonly retry?: Duration;
}

/** Creates an event with an id, a name or a retry delay: `yield event(order, { id: order.id, name: "placed" })`. */
export function event<Data>(data: Data, options: EventOptions = {}): ServerEvent<Data> {
  const said = { data, ...options, [EVENT]: true } as const;
  return Object.freeze(Object.defineProperty(said, EVENT, { enumerable: false }));
}

/**
 * Creates a response of server-sent events: `return events(placed(ctx.signal))`. Each value becomes an event with JSON
 * data; yield `event(…)` to set an id or a name. Ends the iterable when the client disconnects or the service stops.
 */
export function events<Value>(source: AsyncIterable<Value>, options: EventsOptions = {}): Events<EventData<Value>> {
  return new EventStream(source, options);
}

/** True for the result of `events`. */
export function isEventStream(value: unknown): value is EventStream {
  return hasBrand(value, EVENTS);
}

const defaultHeartbeat = "15s";

/** Encodes events as a byte stream. */
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

  /** Ends the stream after the last complete event. */
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
      // Not awaited: while a `next()` is pending, `return()` of a generator waits for it.
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

/** Returns `text`. Throws a TypeError if it contains a line break, which would start a new field or event, or a NUL. */
function lineOf(what: string, text: string): string {
  // oxlint-disable-next-line no-control-regex -- line breaks and NUL separate an event's fields
  if (/[\0\r\n]/.test(text))
    throw new TypeError(`the ${what} of an event must be one line, not ${JSON.stringify(text)}`);
  return text;
}

function milliseconds(what: string, duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined || ms < 1 || ms > 2 ** 31 - 1)
    throw new TypeError(`the ${what} of events is not a valid duration: ${JSON.stringify(duration)}`);
  return ms;
}
