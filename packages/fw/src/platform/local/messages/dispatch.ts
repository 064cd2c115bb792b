import { deliveryStopMs } from "../../../lib/limits.ts";
import { atMost } from "../../clock.ts";
import type { Clock } from "../../contract.ts";
import { closedError } from "../../errors.ts";
import { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Delivering, Delivery, Consumer } from "../../messages.ts";
import type { Database } from "../sqlite.ts";
import { commitUnsynced } from "../unsynced.ts";
import { Alarm } from "./alarm.ts";
import { byInbox, inboxName, type Inbox } from "./inbox.ts";
import { ConsumerLane, type LocalDelivery } from "./consumer-lane.ts";
import type { Attempts } from "./attempts.ts";
import type { MessageRows } from "./rows.ts";

/** Milliseconds before the dispatcher retries after a failed write. */
const dispatchRetryMs = 1_000;

/** The maximum number of deliveries to start per turn of the event loop. Each ready consumer gets at least one. */
const claimsOfTurn = 256;

export interface DispatchParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rows: MessageRows;
  readonly attempts: Attempts;
}

interface DeliverySession {
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly inFlight: Map<LocalDelivery, Promise<void>>;
}

/** A caller of `idle`. */
export interface Waiter {
  readonly all: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface InboxDeliveries {
  readonly consumer: string;
  readonly deliveries: number;
  /** The number of first attempts, including ended ones that are not recorded yet. */
  readonly firstDeliveries: number;
}

/**
 * Delivers messages to their consumers. The set of messages in flight exists only in memory, because no other process
 * uses the store. After a crash, a message in its first attempt is due at once, others after a backoff. Starts and ends
 * are committed once per turn of the event loop, without fsync: a power cut may lose them, which only repeats a
 * delivery. Attempts are counted before they start, so a message that crashes the process is eventually dead-lettered.
 */
export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #alarm: Alarm;
  readonly #lanes = new Map<string, ConsumerLane>();
  #finished: LocalDelivery[] = [];
  #waiters: Waiter[] = [];
  #session: DeliverySession | undefined;
  #isScheduled = false;
  /** True if messages that were set aside must be retried, because the current code may accept them. */
  #retriesMisfits = false;
  #isClosed = false;
  /**
   * The wall-clock time of the last turn. A turn at an earlier time repairs due times, because the clock was set back.
   * The first turn always does: the clock may have been set back while no process was running.
   */
  #lastTurn = Infinity;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.wake());
  }

  /** Replaces the consumers. Throws the same errors as `byInbox`. */
  redefine(consumers: readonly Consumer[]): void {
    const lanes = byInbox(consumers);
    for (const lane of this.#lanes.values()) lane.shut();
    for (const [name, consumer] of lanes) this.#open(name, consumer);
    this.#lastTurn = Infinity;
    this.wake();
  }

  /** Records that a message in the inbox is due at this time. */
  expect(inbox: Inbox, due: number): void {
    this.#lanes.get(inboxName(inbox))?.expect(due);
    this.wake();
  }

  /** Looks for due messages in the next turn of the event loop. */
  wake(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    if (this.#session !== undefined)
      throw new Error("messages are already being delivered; stop that dispatcher first");
    const session: DeliverySession = { deliver, inFlight: new Map() };
    this.#session = session;
    this.retryMisfits();
    return { stop: () => this.#stop(session) };
  }

  /** Retries the messages that did not fit their type, because the current code may accept them. */
  retryMisfits(): void {
    this.#retriesMisfits = true;
    this.wake();
  }

  idle(all: boolean): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiters.push({ all, resolve, reject });
      this.wake();
    });
  }

  /**
   * Returns the inbox's consumer and its deliveries in flight; undefined if the inbox has had no consumer in this
   * process.
   */
  underWay(inbox: Inbox): InboxDeliveries | undefined {
    const lane = this.#lanes.get(inboxName(inbox));
    if (lane === undefined) return undefined;
    const started = [...lane.inFlight.values()];
    return {
      consumer: lane.consumer.id,
      deliveries: started.filter(({ outcome }) => outcome === undefined).length,
      firstDeliveries: started.filter(({ attempt }) => attempt === 1).length,
    };
  }

  /** True from the start of a message's delivery until its end is recorded. */
  isInFlight(inbox: Inbox, id: string): boolean {
    const deliveries = this.#lanes.get(inboxName(inbox))?.inFlight.values() ?? [];
    return [...deliveries].some(({ message }) => message.id === id);
  }

  close(): void {
    this.#alarm.cancel();
    this.#session = undefined;
    for (const delivery of this.#inFlight()) {
      delivery.stop(new Error("the platform was closed"));
      delivery.end("unfinished");
    }
    this.#commit(this.#parts.clock.now());
    this.#isClosed = true;
    for (const { reject } of this.#waiters) reject(closedError());
  }

  #open(name: string, consumer: Consumer): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, new ConsumerLane(consumer));
    else lane.openFor(consumer);
  }

  async #stop(session: DeliverySession): Promise<void> {
    if (this.#session === session) this.#session = undefined;
    for (const delivery of session.inFlight.keys()) delivery.stop(new Error("delivery has been stopped"));
    const unfinished = [...session.inFlight].filter(([delivery]) => delivery.outcome === undefined);
    await atMost(Promise.all(unfinished.map(([, work]) => work)), deliveryStopMs, this.#parts.clock);
    for (const delivery of session.inFlight.keys()) delivery.end("unfinished");
    if (!this.#isClosed) this.#turn();
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    const now = this.#parts.clock.now();
    this.#expire();
    const next = this.#commit(now) ? this.#nextTurn(now) : now + dispatchRetryMs;
    if (next <= now) this.wake();
    else this.#alarm.set(next);
    this.#resolveIdle(now);
  }

  #expire(): void {
    const elapsed = this.#parts.clock.elapsed();
    for (const delivery of this.#inFlight()) delivery.expire(elapsed);
  }

  /** Records finished deliveries and starts new ones; returns false if the store failed and nothing changed. */
  #commit(now: number): boolean {
    const finished = this.#finished;
    const retries = this.#retriesMisfits;
    if (finished.length === 0 && !retries && now >= this.#lastTurn && !this.#isReady(now)) return true;
    this.#finished = [];
    let started: readonly LocalDelivery[];
    try {
      started = commitUnsynced(this.#parts.database, () => {
        if (now < this.#lastTurn) for (const lane of this.#lanes.values()) lane.advance(this.#parts.rows, now);
        if (retries) this.#takeMisfitsBack(now);
        for (const delivery of finished) this.#land(delivery, now);
        return this.#begin(now);
      });
    } catch {
      this.#finished.unshift(...finished);
      for (const lane of this.#lanes.values()) lane.look();
      return false;
    }
    this.#lastTurn = now;
    if (retries) this.#retriesMisfits = false;
    for (const delivery of started) this.#start(delivery);
    return true;
  }

  #takeMisfitsBack(now: number): void {
    this.#parts.rows.takeBack(now);
    for (const lane of this.#lanes.values()) lane.look();
  }

  #isReady(now: number): boolean {
    return (
      this.#session !== undefined && [...this.#lanes.values()].some((lane) => lane.readyAt(this.#ignoreSchedule) <= now)
    );
  }

  #land(delivery: LocalDelivery, now: number): void {
    delivery.lane.inFlight.delete(delivery.message.n);
    this.#parts.attempts.end(delivery, now);
  }

  /**
   * Takes due messages and counts their attempts. Divides the limit among ready consumers, so that a large backlog does
   * not starve others.
   */
  #begin(now: number): readonly LocalDelivery[] {
    if (this.#session === undefined) return [];
    const ignoreSchedule = this.#ignoreSchedule;
    const elapsed = this.#parts.clock.elapsed();
    const ready = [...this.#lanes.values()].filter((lane) => lane.readyAt(ignoreSchedule) <= now);
    const limit = Math.max(1, Math.floor(claimsOfTurn / ready.length));
    return ready.flatMap((lane) =>
      lane
        .take(this.#parts.rows, now, limit, ignoreSchedule)
        .filter((message) => this.#parts.attempts.begin(lane, message, now))
        .map(
          (message) =>
            new InFlightDelivery({ lane, message, attempt: message.attempts + 1, elapsed }, (delivery) =>
              this.#onFinished(delivery),
            ),
        ),
    );
  }

  #start(delivery: LocalDelivery): void {
    delivery.lane.inFlight.set(delivery.message.n, delivery);
    const session = this.#session;
    // The previous delivery's handler may have stopped the dispatcher.
    if (session === undefined) return delivery.end("unfinished");
    const work = delivery.run(session.deliver).then(() => void session.inFlight.delete(delivery));
    session.inFlight.set(delivery, work);
  }

  #onFinished(delivery: LocalDelivery): void {
    this.#finished.push(delivery);
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

  *#inFlight(): Generator<LocalDelivery> {
    for (const lane of this.#lanes.values())
      for (const delivery of lane.inFlight.values()) if (delivery.outcome === undefined) yield delivery;
  }

  /** Whether a caller of `idle` waits for all messages, including delayed ones. */
  get #ignoreSchedule(): boolean {
    return this.#waiters.some(({ all }) => all);
  }

  #resolveIdle(now: number): void {
    if (this.#waiters.length === 0 || this.#finished.length > 0 || !this.#inFlight().next().done) return;
    const idle = this.#waiters.filter(({ all }) => !this.#isDue(all ? Infinity : now));
    this.#waiters = this.#waiters.filter((waiter) => !idle.includes(waiter));
    for (const { resolve } of idle) resolve();
  }

  #isDue(by: number): boolean {
    return [...this.#lanes.values()].some((lane) => lane.isDue(this.#parts.rows, by));
  }
}
