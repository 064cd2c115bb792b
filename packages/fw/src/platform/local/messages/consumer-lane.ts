import type { Consumer } from "../../messages.ts";
import type { InFlightDelivery } from "./in-flight-delivery.ts";
import { inboxOf } from "./inbox.ts";
import type { Inbox } from "./inbox.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { KeptMessage, MessageRows } from "./rows.ts";

/** The way of an inbox's messages to their consumer. */
export class ConsumerLane {
  readonly inbox: Inbox;
  readonly #rateLimiter: RateLimiter = new RateLimiter();
  /** What is under way, by the message's row. */
  readonly inFlight: Map<number, InFlightDelivery> = new Map();
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
    this.#rateLimiter.restart();
    this.look();
  }

  /** Says that a message waits. */
  expect(due: number): void {
    this.#due = Math.min(this.#due, due);
  }

  /** Whether a message is due by the instant; asked only while nothing is under way. */
  isDue(rows: MessageRows, by: number): boolean {
    if (!this.#open || this.#due > by) return false;
    const [first] = rows.next(this.inbox, 1);
    return first !== undefined && first.due <= by;
  }

  /** The instant from which a delivery may begin; Infinity until another has ended. With `ignoreSchedule` what waits counts as due. */
  readyAt(ignoreSchedule: boolean): number {
    if (!this.#open || this.#free === 0 || this.#due === Infinity) return Infinity;
    if (ignoreSchedule) return 0;
    return Math.max(this.#due, this.#consumer.delivery.rateLimit === undefined ? 0 : this.#rateLimiter.next);
  }

  /** The messages whose delivery begins now, `most` at most. */
  take(rows: MessageRows, now: number, most: number, ignoreSchedule: boolean): readonly KeptMessage[] {
    const wanted = this.#allowed(now, Math.min(most, this.#free), ignoreSchedule);
    if (wanted === 0) return [];
    const waiting = rows.next(this.inbox, this.inFlight.size + wanted + 1).filter(({ n }) => !this.inFlight.has(n));
    const taken = waiting.filter(({ due }) => ignoreSchedule || due <= now).slice(0, wanted);
    this.#due = waiting[taken.length]?.due ?? Infinity;
    if (!ignoreSchedule) this.#rateLimiter.take(now, this.#consumer.delivery.rateLimit ?? Infinity, taken.length);
    return taken.flatMap(({ n }) => rows.read(n) ?? []);
  }

  get #free(): number {
    return Math.max(0, this.#consumer.delivery.concurrency - this.inFlight.size);
  }

  #allowed(now: number, wanted: number, ignoreSchedule: boolean): number {
    const { rateLimit } = this.#consumer.delivery;
    return rateLimit === undefined || ignoreSchedule ? wanted : this.#rateLimiter.allowed(now, rateLimit, wanted);
  }
}
