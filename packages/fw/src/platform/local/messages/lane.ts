import type { Consumer } from "../../messages.ts";
import type { Flight } from "./flight.ts";
import { inboxOf } from "./inbox.ts";
import type { Inbox } from "./inbox.ts";
import { Pace } from "./pace.ts";
import type { KeptMessage, MessageRows } from "./rows.ts";

/** The way of an inbox's messages to their consumer. */
export class Lane {
  readonly inbox: Inbox;
  readonly #pace: Pace = new Pace();
  readonly #flights: Map<number, Flight> = new Map();
  #consumer: Consumer;
  #open = true;
  /** No message is due before this instant. */
  #due = 0;

  constructor(consumer: Consumer) {
    this.inbox = inboxOf(consumer);
    this.#consumer = consumer;
  }

  /** Who takes the messages, or took them last. */
  get consumer(): Consumer {
    return this.#consumer;
  }

  /** What is under way, by the message's row. */
  get flights(): ReadonlyMap<number, Flight> {
    return this.#flights;
  }

  /** Whether somebody takes the messages. */
  get isOpen(): boolean {
    return this.#open;
  }

  openFor(consumer: Consumer): void {
    this.#consumer = consumer;
    this.#open = true;
    this.look();
  }

  /** The messages wait until the lane is opened again. */
  shut(): void {
    this.#open = false;
  }

  /** Says that it is unknown which messages wait. */
  look(): void {
    this.#due = 0;
  }

  /** After the clock was set back. */
  advance(rows: MessageRows, now: number): void {
    rows.advance(this.inbox, now, this.#consumer.delivery.maxBackoff);
    this.look();
  }

  /** Says that a message waits. */
  expect(due: number): void {
    this.#due = Math.min(this.#due, due);
  }

  add(flight: Flight): void {
    this.#flights.set(flight.n, flight);
  }

  remove(flight: Flight): void {
    this.#flights.delete(flight.n);
  }

  /** Whether a message is due by the instant; asked only while nothing is under way. */
  isDue(rows: MessageRows, by: number): boolean {
    if (!this.#open || this.#due > by) return false;
    const [first] = rows.next(this.inbox, 1);
    return first !== undefined && first.due <= by;
  }

  /** The instant from which a delivery may begin; Infinity until another has ended. `hurry`: what waits need not. */
  readyAt(hurry: boolean): number {
    if (!this.#open || this.#free === 0 || this.#due === Infinity) return Infinity;
    if (hurry) return 0;
    return Math.max(this.#due, this.#consumer.delivery.rateLimit === undefined ? 0 : this.#pace.next);
  }

  /** The messages whose delivery begins now, `most` at most. */
  take(rows: MessageRows, now: number, most: number, hurry: boolean): readonly KeptMessage[] {
    const wanted = this.#allowed(now, Math.min(most, this.#free), hurry);
    if (wanted === 0) return [];
    const waiting = rows.next(this.inbox, this.#flights.size + wanted + 1).filter(({ n }) => !this.#flights.has(n));
    const taken = waiting.filter(({ due }) => hurry || due <= now).slice(0, wanted);
    this.#due = waiting[taken.length]?.due ?? Infinity;
    if (!hurry) this.#pace.take(now, this.#consumer.delivery.rateLimit ?? Infinity, taken.length);
    return taken.flatMap(({ n }) => rows.read(n) ?? []);
  }

  get #free(): number {
    return Math.max(0, this.#consumer.delivery.concurrency - this.#flights.size);
  }

  #allowed(now: number, wanted: number, hurry: boolean): number {
    const { rateLimit } = this.#consumer.delivery;
    return rateLimit === undefined || hurry ? wanted : this.#pace.allowed(now, rateLimit, wanted);
  }
}
