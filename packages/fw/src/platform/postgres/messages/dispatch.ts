import { deliveryStopMs } from "../../../lib/limits.ts";
import { atMost } from "../../clock.ts";
import type { Clock } from "../../contract.ts";
import { closedError } from "../../errors.ts";
import { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Waiter } from "../../local/messages/dispatch.ts";
import { byInbox, inboxName, inboxOf, type Inbox } from "../../local/messages/inbox.ts";
import type { Consumer, Delivering, Delivery } from "../../messages.ts";
import type { ClaimedDelivery, ClaimedMessage, DeliveryLane } from "./delivery.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Claim, DeliveryStore } from "./store.ts";

/** Interval in milliseconds of polls for messages that arrived without a notification. */
const pollMs = 1_000;

/** Milliseconds before the next poll after a failure of the store. */
const retryMs = 1_000;

/**
 * Interval in milliseconds for retrying messages that fit no type: a machine with older code may have set them aside.
 */
const misfitRetryMs = 600_000;

/** Interval in milliseconds of polls while a caller, such as a test, waits for all deliveries. */
const idleLookMs = 5;

/** The maximum number of messages that one poll claims for a consumer. */
const claimedAtOnce = 64;

interface Lane extends DeliveryLane {
  consumer: Consumer;
  isOpen: boolean;
  /** Deliveries that this process has claimed and whose outcomes are not recorded yet. */
  readonly claimed: Set<ClaimedDelivery>;
}

interface Session {
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly running: Map<ClaimedDelivery, Promise<void>>;
  /** The consumers to which this process delivers; undefined for all. */
  readonly consumers: ReadonlySet<string> | undefined;
}

/** Polls for messages: claims them for this process, delivers them and records the outcomes. */
export class PostgresDispatch {
  readonly #store: DeliveryStore;
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  readonly #lanes = new Map<string, Lane>();
  #ended: ClaimedDelivery[] = [];
  #waiters: Waiter[] = [];
  /** The time on the monotonic clock at which messages that fit no type are next retried. */
  #misfitsDue = 0;
  #session: Session | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #sleep: AbortController | undefined;
  #isClosed = false;

  constructor(store: DeliveryStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#heartbeat = new Heartbeat(store, clock);
  }

  /** Replaces the consumers. Throws the same errors as `byInbox`. */
  redefine(consumers: readonly Consumer[]): void {
    const lanes = byInbox(consumers);
    for (const lane of this.#lanes.values()) lane.isOpen = false;
    for (const [name, consumer] of lanes) {
      const lane = this.#lanes.get(name);
      if (lane === undefined)
        this.#lanes.set(name, { inbox: inboxOf(consumer), consumer, isOpen: true, claimed: new Set() });
      else Object.assign(lane, { consumer, isOpen: true });
    }
    this.wake();
  }

  /** Polls for due messages as soon as the current poll has ended. */
  wake(): void {
    if (this.#isClosed) return;
    this.#sleep?.abort();
    this.#isAsked = true;
    this.#looking ??= this.#lookOn();
  }

  /** Whether this process can deliver a message of the inbox immediately. */
  hasRoom(inbox: Inbox): boolean {
    const lane = this.#lanes.get(inboxName(inbox));
    return this.#session !== undefined && lane !== undefined && hasCapacity(this.#session, lane);
  }

  /** Delivers to all consumers, or to those with the given ids. */
  deliver(deliver: (delivery: Delivery) => Promise<void>, consumers?: ReadonlySet<string>): Delivering {
    if (this.#session !== undefined)
      throw new Error("messages are already being delivered; stop that dispatcher first");
    const session: Session = { deliver, running: new Map(), consumers };
    this.#session = session;
    this.#misfitsDue = 0;
    this.wake();
    return { stop: () => this.#stop(session) };
  }

  idle(all: boolean): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiters.push({ all, resolve, reject });
      this.wake();
    });
  }

  /** Returns the inbox's consumer; undefined if this process does not know the inbox. */
  underWay(inbox: Inbox): { readonly consumer: string } | undefined {
    const lane = this.#lanes.get(inboxName(inbox));
    return lane && { consumer: lane.consumer.id };
  }

  async close(): Promise<void> {
    if (this.#session !== undefined) await this.#stop(this.#session);
    this.#isClosed = true;
    this.#sleep?.abort();
    this.#heartbeat.close();
    await this.#looking;
    for (const { reject } of this.#waiters) reject(closedError());
  }

  async #stop(session: Session): Promise<void> {
    if (this.#session === session) this.#session = undefined;
    await this.#looking;
    for (const delivery of session.running.keys()) delivery.stop(new Error("delivery has been stopped"));
    await atMost(Promise.all(session.running.values()), deliveryStopMs, this.#clock);
    for (const delivery of session.running.keys()) delivery.end("unfinished");
    this.wake();
    await this.#looking;
  }

  async #lookOn(): Promise<void> {
    // One poll covers everything that is sent in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      const next = await this.#look().catch(() => retryMs);
      if (!this.#isAsked) this.#sleepFor(next);
    }
    // Cleared synchronously after the loop ends: a wake-up in between would be lost.
    this.#looking = undefined;
  }

  /** Polls once; returns the milliseconds until the next poll. */
  async #look(): Promise<number> {
    this.#expire();
    await this.#writeDown();
    await this.#retryMisfits();
    const all = this.#waiters.some((waiter) => waiter.all);
    const next = this.#session === undefined ? pollMs : await this.#claim(this.#session, all);
    await this.#resolveIdle();
    return Math.min(next, this.#untilDeadline());
  }

  async #writeDown(): Promise<void> {
    // A copy, because more deliveries may end while the statement runs.
    const endedDeliveries = new Set(this.#ended);
    if (endedDeliveries.size === 0) return;
    await this.#store.finish([...endedDeliveries]);
    this.#ended = this.#ended.filter((delivery) => !endedDeliveries.has(delivery));
    for (const delivery of endedDeliveries) {
      this.#heartbeat.delete(delivery);
      this.#lanes.get(inboxName(delivery.lane.inbox))?.claimed.delete(delivery);
    }
  }

  /** Retries messages that fit no type, first when this process starts delivering and then periodically. */
  async #retryMisfits(): Promise<void> {
    const elapsed = this.#clock.elapsed();
    if (this.#session === undefined || elapsed < this.#misfitsDue) return;
    await this.#store.retryMisfits();
    this.#misfitsDue = elapsed + misfitRetryMs;
  }

  async #claim(session: Session, all: boolean): Promise<number> {
    const lanes = [...this.#lanes.values()]
      .filter((lane) => hasCapacity(session, lane))
      // Sorted, so that all machines lock the rows of lanes in the same order.
      .toSorted((a, b) => (inboxName(a.inbox) < inboxName(b.inbox) ? -1 : 1));
    if (lanes.length === 0) return pollMs;
    const requests = lanes.map((lane) => ({ ...lane, most: Math.min(claimedAtOnce, freeOf(lane)) }));
    const leasedAt = this.#clock.elapsed();
    const claims = await this.#store.claim(requests, all);
    let next = pollMs;
    for (const [i, lane] of lanes.entries()) {
      const { messages, nextMs } = claims[i] as Claim;
      for (const message of messages) await this.#begin(session, lane, message, leasedAt);
      if (nextMs !== undefined && freeOf(lane) > 0) next = Math.min(next, Math.max(0, nextMs));
    }
    return next;
  }

  async #begin(session: Session, lane: Lane, message: ClaimedMessage, leasedAt: number): Promise<void> {
    const start = { lane, message, attempt: message.attempts, elapsed: this.#clock.elapsed() };
    const delivery = new InFlightDelivery<DeliveryLane, ClaimedMessage, "lost">(start, (each) => this.#note(each));
    if (message.attempts > lane.consumer.delivery.maxAttempts) {
      const dead = { ...message, attempts: message.attempts - 1 };
      return this.#store.bury(
        { lane, consumer: lane.consumer, message: dead },
        message.reason ?? "the process ended during the last delivery",
      );
    }
    lane.claimed.add(delivery);
    const isLeased = this.#heartbeat.add(delivery, leasedAt);
    if (!isLeased || this.#session !== session) return delivery.end("unfinished");
    const running = delivery.run(session.deliver).then(() => void session.running.delete(delivery));
    session.running.set(delivery, running);
  }

  #note(delivery: ClaimedDelivery): void {
    this.#ended.push(delivery);
    this.wake();
  }

  #expire(): void {
    const elapsed = this.#clock.elapsed();
    for (const delivery of this.#underWay()) delivery.expire(elapsed);
  }

  #untilDeadline(): number {
    const elapsed = this.#clock.elapsed();
    let next = Infinity;
    for (const { deadline } of this.#underWay()) next = Math.min(next, deadline - elapsed);
    return next;
  }

  async #resolveIdle(): Promise<void> {
    if (this.#waiters.length === 0 || this.#ended.length > 0 || this.#underWay().length > 0) return;
    const inboxes = [...this.#lanes.values()].filter(({ isOpen }) => isOpen).map(({ inbox }) => inbox);
    for (const waiter of this.#waiters) {
      if (this.#isAsked || (await this.#store.isBusy(inboxes, waiter.all))) continue;
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      waiter.resolve();
    }
    if (this.#waiters.length > 0) setTimeout(() => this.wake(), idleLookMs);
  }

  #underWay(): ClaimedDelivery[] {
    return [...this.#lanes.values()].flatMap(({ claimed }) =>
      [...claimed].filter(({ outcome }) => outcome === undefined),
    );
  }

  #sleepFor(milliseconds: number): void {
    if (this.#isClosed || this.#session === undefined) return;
    const sleep = new AbortController();
    this.#sleep = sleep;
    void this.#clock.sleep(Math.ceil(milliseconds), sleep.signal, { background: true }).then(
      () => this.wake(),
      () => {},
    );
  }
}

/** Whether the process has capacity for another message of the lane. */
function hasCapacity({ consumers }: Session, lane: Lane): boolean {
  return lane.isOpen && consumers?.has(lane.consumer.id) !== false && freeOf(lane) > 0;
}

function freeOf({ consumer, claimed }: Lane): number {
  return Math.max(0, consumer.delivery.concurrency - claimed.size);
}
