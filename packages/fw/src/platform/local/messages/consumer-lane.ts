import type { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Consumer } from "../../messages.ts";
import { inboxOf, type Inbox } from "./inbox.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { StoredMessage, MessageRows } from "./rows.ts";

export type LocalDelivery = InFlightDelivery<ConsumerLane, StoredMessage>;

export class ConsumerLane {
  readonly inbox: Inbox;
  readonly #rateLimiter: RateLimiter = new RateLimiter();
  readonly inFlight: Map<number, LocalDelivery> = new Map();
  #consumer: Consumer;
  #isOpen = true;
  /** A lower bound on the time at which the next message is due. */
  #due = 0;

  constructor(consumer: Consumer) {
    this.inbox = inboxOf(consumer);
    this.#consumer = consumer;
  }

  /** The current consumer, or the previous one while the lane is shut. */
  get consumer(): Consumer {
    return this.#consumer;
  }

  openFor(consumer: Consumer): void {
    this.#consumer = consumer;
    this.#isOpen = true;
    this.look();
  }

  /** Makes messages wait until the lane is opened again. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Forgets the next due time, so that the next turn looks for due messages. */
  look(): void {
    this.#due = 0;
  }

  /** Repairs due times after the clock was set back. */
  advance(rows: MessageRows, now: number): void {
    rows.advance(this.inbox, now, this.#consumer.delivery.maxBackoff);
    this.#rateLimiter.restart();
    this.look();
  }

  expect(due: number): void {
    this.#due = Math.min(this.#due, due);
  }

  /** Whether a message is due by this instant. Call it only while nothing is in flight. */
  isDue(rows: MessageRows, by: number): boolean {
    if (!this.#isOpen || this.#due > by) return false;
    const [first] = rows.next(this.inbox, 1);
    return first !== undefined && first.due <= by;
  }

  /**
   * Returns when the next delivery may start; Infinity if no message waits, if the maximum number of deliveries is in
   * flight, or if the lane is shut. `ignoreSchedule` ignores due times and the rate limit.
   */
  readyAt(ignoreSchedule: boolean): number {
    if (!this.#isOpen || this.#free === 0 || this.#due === Infinity) return Infinity;
    if (ignoreSchedule) return 0;
    return Math.max(this.#due, this.#consumer.delivery.rateLimit === undefined ? 0 : this.#rateLimiter.next);
  }

  /** Takes up to `limit` messages whose deliveries can start now. */
  take(rows: MessageRows, now: number, limit: number, ignoreSchedule: boolean): readonly StoredMessage[] {
    const count = this.#allowed(now, Math.min(limit, this.#free), ignoreSchedule);
    if (count === 0) return [];
    const waiting = rows.next(this.inbox, this.inFlight.size + count + 1).filter(({ n }) => !this.inFlight.has(n));
    const due = waiting.filter(({ due }) => ignoreSchedule || due <= now).slice(0, count);
    this.#due = waiting[due.length]?.due ?? Infinity;
    if (!ignoreSchedule) this.#rateLimiter.take(now, this.#consumer.delivery.rateLimit ?? Infinity, due.length);
    return due.flatMap(({ n }) => rows.read(n) ?? []);
  }

  get #free(): number {
    return Math.max(0, this.#consumer.delivery.concurrency - this.inFlight.size);
  }

  #allowed(now: number, count: number, ignoreSchedule: boolean): number {
    const { rateLimit } = this.#consumer.delivery;
    return rateLimit === undefined || ignoreSchedule ? count : this.#rateLimiter.allowance(now, rateLimit, count);
  }
}
