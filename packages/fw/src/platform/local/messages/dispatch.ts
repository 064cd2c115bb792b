import { deliveryStopMs } from "../../../lib/limits.ts";
import { atMost } from "../../clock.ts";
import { DeadlinePassed } from "../../deadline.ts";
import type { Clock } from "../../contract.ts";
import { closedError, PlatformError } from "../../errors.ts";
import type { Delivering, Delivery, Consumer } from "../../messages.ts";
import type { Database } from "../sqlite.ts";
import { commitUnsynced } from "../unsynced.ts";
import { Alarm } from "./alarm.ts";
import { InFlightDelivery } from "./in-flight-delivery.ts";
import { inboxName, inboxOf } from "./inbox.ts";
import type { Inbox } from "./inbox.ts";
import { ConsumerLane } from "./consumer-lane.ts";
import type { Attempts } from "./attempts.ts";
import type { MessageRows } from "./rows.ts";

/** Milliseconds before the dispatcher of messages tries again what its store could not write. */
const dispatchRetryMs = 1_000;

/** Deliveries that one turn of the event loop begins, but for one a consumer. */
const claimsOfTurn = 256;

/** What deliveries are made with. */
export interface DispatchParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rows: MessageRows;
  readonly attempts: Attempts;
}

/** Deliveries from `deliver` to `stop`. */
interface DeliverySession {
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** What is under way, and when its work has ended. */
  readonly inFlight: Map<InFlightDelivery, Promise<void>>;
}

interface Waiter {
  readonly all: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Brings messages to their consumers. What is under way is known in memory only, since no other process has the store: after
 * a crash a message is due as it was, or after its backoff where it was under way in two of them. Beginnings and ends are committed once a turn of the event loop and not waited
 * for: they outlive the process, and what a power cut undoes is delivered again. A delivery is counted before it begins, so
 * that a message that kills the process dies of it in the end.
 */
export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #alarm: Alarm;
  readonly #lanes = new Map<string, ConsumerLane>();
  #ended: InFlightDelivery[] = [];
  #waiters: Waiter[] = [];
  #session: DeliverySession | undefined;
  #scheduled = false;
  #closed = false;
  /** When it looked last; an instant before it means that the clock was set back, perhaps while no process ran. */
  #looked = Infinity;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.wake());
  }

  /** Fails as `byInbox` does. */
  redefine(consumers: readonly Consumer[]): void {
    const lanes = byInbox(consumers);
    for (const lane of this.#lanes.values()) lane.shut();
    for (const [name, consumer] of lanes) this.#open(name, consumer);
    this.#looked = Infinity;
    this.wake();
  }

  /** Says that a message of the inbox is due from an instant. */
  expect(inbox: Inbox, due: number): void {
    this.#lanes.get(inboxName(inbox))?.expect(due);
    this.wake();
  }

  /** Looks for what is due in the next turn of the event loop. */
  wake(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    if (this.#session !== undefined) throw new Error("messages are delivered already; stop that first");
    const session: DeliverySession = { deliver, inFlight: new Map() };
    this.#session = session;
    this.wake();
    return { stop: () => this.#stop(session) };
  }

  idle(all: boolean): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiters.push({ all, resolve, reject });
      this.wake();
    });
  }

  /** What is under way of an inbox, where somebody takes its messages. */
  underWay(inbox: Inbox): { readonly consumer: string; readonly deliveries: number } | undefined {
    const lane = this.#lanes.get(inboxName(inbox));
    if (lane === undefined) return undefined;
    const deliveries = [...this.#inFlight()].filter((delivery) => delivery.lane === lane).length;
    return { consumer: lane.consumer.id, deliveries };
  }

  /** Gives back what is under way. */
  close(): void {
    this.#alarm.cancel();
    this.#session = undefined;
    for (const delivery of this.#inFlight()) {
      delivery.stop(new Error("the platform was closed"));
      delivery.end("unfinished");
    }
    this.#commit(this.#parts.clock.now());
    this.#closed = true;
    for (const { reject } of this.#waiters) reject(closedError());
  }

  #open(name: string, consumer: Consumer): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, new ConsumerLane(consumer));
    else lane.openFor(consumer);
  }

  async #stop(session: DeliverySession): Promise<void> {
    if (this.#session === session) this.#session = undefined;
    for (const delivery of session.inFlight.keys()) delivery.stop(new Error("delivering has been stopped"));
    const unfinished = [...session.inFlight].filter(([delivery]) => delivery.outcome === undefined);
    await atMost(Promise.all(unfinished.map(([, work]) => work)), deliveryStopMs, this.#parts.clock);
    for (const delivery of session.inFlight.keys()) delivery.end("unfinished");
    if (!this.#closed) this.#turn();
  }

  #turn(): void {
    this.#scheduled = false;
    if (this.#closed) return;
    const now = this.#parts.clock.now();
    this.#expire();
    const next = this.#commit(now) ? this.#nextTurn(now) : now + dispatchRetryMs;
    if (next <= now) this.wake();
    else this.#alarm.set(next);
    this.#tellIdle(now);
  }

  #expire(): void {
    const elapsed = this.#parts.clock.elapsed();
    for (const delivery of this.#inFlight()) {
      if (delivery.deadline > elapsed) continue;
      delivery.expire(new DeadlinePassed(delivery.lane.consumer.delivery.deadline));
    }
  }

  /** Writes down what ended and begins what may begin; false when the store failed, and nothing has been done. */
  #commit(now: number): boolean {
    const ended = this.#ended;
    if (ended.length === 0 && now >= this.#looked && !this.#isReady(now)) return true;
    this.#ended = [];
    let begun: readonly InFlightDelivery[];
    try {
      begun = commitUnsynced(this.#parts.database, () => {
        if (now < this.#looked) for (const lane of this.#lanes.values()) lane.advance(this.#parts.rows, now);
        for (const delivery of ended) this.#land(delivery, now);
        return this.#begin(now);
      });
    } catch {
      this.#ended.unshift(...ended);
      for (const lane of this.#lanes.values()) lane.look();
      return false;
    }
    this.#looked = now;
    for (const delivery of begun) this.#start(delivery);
    return true;
  }

  #isReady(now: number): boolean {
    return (
      this.#session !== undefined && [...this.#lanes.values()].some((lane) => lane.readyAt(this.#ignoreSchedule) <= now)
    );
  }

  #land(delivery: InFlightDelivery, now: number): void {
    delivery.lane.inFlight.delete(delivery.message.n);
    this.#parts.attempts.end(delivery, now);
  }

  /** The deliveries that begin now. Those who wait for much leave room for the others. */
  #begin(now: number): readonly InFlightDelivery[] {
    if (this.#session === undefined) return [];
    const ignoreSchedule = this.#ignoreSchedule;
    const elapsed = this.#parts.clock.elapsed();
    const ready = [...this.#lanes.values()].filter((lane) => lane.readyAt(ignoreSchedule) <= now);
    const most = Math.max(1, Math.floor(claimsOfTurn / ready.length));
    return ready.flatMap((lane) =>
      lane
        .take(this.#parts.rows, now, most, ignoreSchedule)
        .filter((message) => this.#parts.attempts.begin(lane, message, now))
        .map((message) => new InFlightDelivery(lane, message, elapsed, (delivery) => this.#note(delivery))),
    );
  }

  #start(delivery: InFlightDelivery): void {
    delivery.lane.inFlight.set(delivery.message.n, delivery);
    const session = this.#session;
    // A handler that has just been called may have stopped delivering.
    if (session === undefined) return delivery.end("unfinished");
    const work = delivery.run(session.deliver).then(() => void session.inFlight.delete(delivery));
    session.inFlight.set(delivery, work);
  }

  #note(delivery: InFlightDelivery): void {
    this.#ended.push(delivery);
    this.wake();
  }

  #nextTurn(now: number): number {
    const elapsed = this.#parts.clock.elapsed();
    let next = Infinity;
    if (this.#session !== undefined)
      for (const lane of this.#lanes.values()) next = Math.min(next, lane.readyAt(this.#ignoreSchedule));
    for (const { deadline } of this.#inFlight()) next = Math.min(next, now + deadline - elapsed);
    return next;
  }

  /** What is under way, of every lane. */
  *#inFlight(): Generator<InFlightDelivery> {
    for (const lane of this.#lanes.values())
      for (const delivery of lane.inFlight.values()) if (delivery.outcome === undefined) yield delivery;
  }

  /** Whether somebody waits for all messages, also those that are not due. */
  get #ignoreSchedule(): boolean {
    return this.#waiters.some(({ all }) => all);
  }

  #tellIdle(now: number): void {
    if (this.#waiters.length === 0 || this.#ended.length > 0 || !this.#inFlight().next().done) return;
    const idle = this.#waiters.filter(({ all }) => !this.#isDue(all ? Infinity : now));
    this.#waiters = this.#waiters.filter((waiter) => !idle.includes(waiter));
    for (const { resolve } of idle) resolve();
  }

  #isDue(by: number): boolean {
    return [...this.#lanes.values()].some((lane) => lane.isDue(this.#parts.rows, by));
  }
}

/** Consumers by inbox; fails with `document` when two consumers take the messages of one queue or job. */
export function byInbox(consumers: readonly Consumer[]): ReadonlyMap<string, Consumer> {
  const consumersByInbox = new Map<string, Consumer>();
  for (const consumer of consumers) {
    const name = inboxName(inboxOf(consumer));
    const other = consumersByInbox.get(name);
    if (other !== undefined) throw twice(other, consumer);
    consumersByInbox.set(name, consumer);
  }
  return consumersByInbox;
}

function twice(one: Consumer, other: Consumer): PlatformError {
  const { kind, name } = one.destination;
  return new PlatformError("document", `the ${kind} ${name} has two consumers, ${one.id} and ${other.id}`);
}
