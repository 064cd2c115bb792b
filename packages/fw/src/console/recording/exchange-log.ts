import type { RecordedExchange } from "./recorded-exchange.ts";
import { exchangeView, type ExchangeView } from "./exchange-view.ts";

interface Bounds {
  readonly entries: number;
  /** The bytes of all entries. */
  readonly bytes: number;
}

/** The marker of an entry that contains the JSON of another process's `ExchangeView`. */
const remote = -1;

/**
 * A ring buffer of the newest exchanges, numbered from 1, in one block of bytes. One object per exchange would survive
 * two scavenges, which costs more than the rest of the recording. Only the written part of the block takes up memory,
 * and the block is not allocated before the first entry.
 */
export class ExchangeLog {
  readonly #bounds: Bounds;
  #bytes: Buffer | undefined = undefined;
  /** By slot: where an entry, its request body and its response body start, and where the entry ends. */
  readonly #starts: Float64Array;
  readonly #requestBodies: Float64Array;
  readonly #responseBodies: Float64Array;
  readonly #ends: Float64Array;
  /** By slot: the number of texts in the request's headers, and the sizes of the whole bodies. */
  readonly #requestTexts: Float64Array;
  readonly #requestSizes: Float64Array;
  readonly #responseSizes: Float64Array;
  /** The numbers of the oldest and of the newest entry. */
  #first = 1;
  #last = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    const column = (): Float64Array => new Float64Array(bounds.entries);
    [this.#starts, this.#requestBodies, this.#responseBodies, this.#ends] = [column(), column(), column(), column()];
    [this.#requestTexts, this.#requestSizes, this.#responseSizes] = [column(), column(), column()];
  }

  /** The number of the newest entry. */
  get last(): number {
    return this.#last;
  }

  add(exchange: RecordedExchange): void {
    const { head, requestBody, responseBody } = exchange;
    const size = head.length + (requestBody?.recordedBytes ?? 0) + (responseBody?.recordedBytes ?? 0);
    const slot = this.#take(size);
    if (slot === undefined) return;
    const { bytes, start } = slot;
    // Node accepts only characters of Latin-1 in headers.
    const requestBodyAt = start + bytes.write(head, start, "latin1");
    const responseBodyAt = requestBody?.copyTo(bytes, requestBodyAt) ?? requestBodyAt;
    const end = responseBody?.copyTo(bytes, responseBodyAt) ?? responseBodyAt;
    this.#set(slot.index, exchange.requestTexts, requestBodyAt, responseBodyAt, end);
    this.#requestSizes[slot.index] = requestBody?.bytes ?? 0;
    this.#responseSizes[slot.index] = responseBody?.bytes ?? 0;
  }

  /** Adds an exchange that another process recorded. */
  addView(view: ExchangeView): void {
    const json = JSON.stringify(view);
    const slot = this.#take(Buffer.byteLength(json));
    if (slot === undefined) return;
    const end = slot.start + slot.bytes.write(json, slot.start);
    this.#set(slot.index, remote, end, end, end);
  }

  /** Returns the retained exchanges after `number`; 0 returns all. */
  after(number: number): readonly ExchangeView[] {
    // A number after the last entry is from an earlier process: start from the first entry.
    const from = number > this.#last ? this.#first : Math.max(this.#first, number + 1);
    return Array.from({ length: this.#last - from + 1 }, (_, i) => this.#view(from + i));
  }

  /** Returns the newest exchange of a request; undefined if none is retained. */
  find(id: string): ExchangeView | undefined {
    for (let number = this.#last; number >= this.#first; number -= 1) {
      if (!this.#part(number, this.#starts, this.#requestBodies).includes(id, 0, "latin1")) continue;
      const view = this.#view(number);
      if (view.id === id) return view;
    }
    return undefined;
  }

  #view(number: number): ExchangeView {
    const slot = number % this.#bounds.entries;
    const head = this.#part(number, this.#starts, this.#requestBodies);
    const requestTexts = this.#requestTexts[slot] ?? remote;
    if (requestTexts === remote) return JSON.parse(head.toString()) as ExchangeView;
    return exchangeView({
      texts: head.toString("latin1").split("\n"),
      requestTexts,
      requestBody: {
        beginning: this.#part(number, this.#requestBodies, this.#responseBodies),
        bytes: this.#requestSizes[slot] ?? 0,
      },
      responseBody: {
        beginning: this.#part(number, this.#responseBodies, this.#ends),
        bytes: this.#responseSizes[slot] ?? 0,
      },
    });
  }

  /** Returns the bytes of an entry between two of its positions. */
  #part(number: number, from: Float64Array, to: Float64Array): Buffer {
    const slot = number % this.#bounds.entries;
    return (this.#bytes ?? Buffer.alloc(0)).subarray(from[slot], to[slot]);
  }

  #set(slot: number, requestTexts: number, requestBody: number, responseBody: number, end: number): void {
    this.#requestTexts[slot] = requestTexts;
    this.#requestBodies[slot] = requestBody;
    this.#responseBodies[slot] = responseBody;
    this.#ends[slot] = end;
  }

  /**
   * Makes room for a new entry by dropping the oldest ones. Returns its position; undefined if the entry is larger than
   * the log.
   */
  #take(size: number): { readonly bytes: Buffer; readonly index: number; readonly start: number } | undefined {
    const { entries, bytes: capacity } = this.#bounds;
    if (size > capacity) return undefined;
    const bytes = (this.#bytes ??= Buffer.alloc(capacity));
    const newest = this.#last % entries;
    let start = this.#last < this.#first ? 0 : (this.#ends[newest] ?? 0);
    if (start + size > capacity) {
      // The rest of the block is too short: drop its entries, which are the oldest ones, and continue at the start.
      while (this.#first <= this.#last && this.#startOf(this.#first) >= start) this.#first += 1;
      start = 0;
    }
    while (this.#first <= this.#last && this.#blocks(start, size)) this.#first += 1;
    this.#last += 1;
    const index = this.#last % entries;
    this.#starts[index] = start;
    return { bytes, index, start };
  }

  /** True if the oldest entry occupies the slot or the bytes that a new one needs. */
  #blocks(start: number, size: number): boolean {
    const { entries } = this.#bounds;
    if (this.#last - this.#first + 1 === entries) return true;
    const oldest = this.#startOf(this.#first);
    return oldest >= start && oldest < start + size;
  }

  #startOf(number: number): number {
    return this.#starts[number % this.#bounds.entries] ?? 0;
  }
}
