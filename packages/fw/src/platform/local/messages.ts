import { randomUUID } from "node:crypto";
import { deadPage } from "../../lib/limits.ts";
import type { Clock } from "../contract.ts";
import { checkMessage } from "../message.ts";
import type {
  Destination,
  DeadMessage,
  DeadOptions,
  Delivering,
  Delivery,
  Dispatcher,
  Messages,
  OutgoingMessage,
  Consumer,
} from "../messages.ts";
import { DeadLetters, deadLetterTables } from "./messages/dead-letters.ts";
import { Dispatch } from "./messages/dispatch.ts";
import { byInbox, inboxesOf, inboxName, inboxNamed, inboxOf, misfitInbox, type Inbox } from "./messages/inbox.ts";
import { Attempts } from "./messages/attempts.ts";
import { MessageRows, messageRowTables, type NewMessage, type PendingMessage } from "./messages/rows.ts";
import { taskBodies } from "../task.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

export const messageTables: string = `${messageRowTables}${deadLetterTables}`;

/** The messages that wait for a consumer or are in flight. */
export interface Backlog {
  /** For example `queue:emails`. */
  readonly destination: string;
  /** The consumer's service; "" if the messages have no consumer. */
  readonly consumer: string;
  readonly messages: number;
  /** The number of messages with at least one delivery that has ended or was interrupted. */
  readonly retried: number;
  readonly inFlight: number;
  /** When the next message is due; absent if there is none. */
  readonly due?: Date;
  /** When the oldest message was sent; absent if there is none or the platform does not know. */
  readonly oldest?: Date;
  /** Present if the messages do not fit their consumer's type and wait for other code. */
  readonly misfit?: true;
}

/** Messages in SQLite, and their delivery in this process. */
export class LocalMessages implements Messages, Dispatcher {
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #rows: MessageRows;
  readonly #dead: DeadLetters;
  readonly #dispatch: Dispatch;
  #consumers: readonly Consumer[] = [];

  /** `random` returns a number from 0 to 1, for the jitter of pauses. */
  constructor(
    database: Database,
    queue: WriteQueue,
    clock: Clock,
    consumers: readonly Consumer[],
    random: () => number = Math.random,
  ) {
    this.#queue = queue;
    this.#clock = clock;
    this.#rows = new MessageRows(database);
    this.#dead = new DeadLetters(database);
    const send = (destination: Destination, message: OutgoingMessage): void => void this.enqueue(destination, message);
    const attempts = new Attempts({ rows: this.#rows, dead: this.#dead, send, random });
    this.#dispatch = new Dispatch({ database, clock, rows: this.#rows, attempts });
    this.redefine(consumers);
  }

  /** Checks consumers without changing anything. Throws a PlatformError `document` if `redefine` would. */
  check(consumers: readonly Consumer[]): void {
    byInbox(consumers);
  }

  /** Replaces the consumers. Messages for removed consumers wait until a consumer is defined again. */
  redefine(consumers: readonly Consumer[]): void {
    this.#dispatch.redefine(consumers);
    this.#consumers = consumers;
  }

  /** Retries the messages that did not fit their type, because the current code may accept them. */
  retryMisfits(): void {
    this.#dispatch.retryMisfits();
  }

  /** Stores a validated message and returns its id. Call it inside a write. */
  enqueue(destination: Destination, message: OutgoingMessage, id: string = randomUUID()): string {
    const { body, delay = 0, traceparent } = message;
    const sentAt = this.#clock.now();
    const bodies = destination.kind === "job" ? [...taskBodies(body)] : [body];
    for (const inbox of inboxesOf(destination, this.#consumers))
      for (const [task, taskBody] of bodies.entries())
        this.#put(inbox, {
          id: task === 0 ? id : `${id}-${task}`,
          sent: sentAt,
          due: sentAt + delay,
          body: taskBody,
          traceparent,
        });
    return id;
  }

  /** Makes the dispatcher look for due messages, as `enqueue` does. */
  wake(): void {
    this.#dispatch.wake();
  }

  async send(destination: Destination, message: OutgoingMessage): Promise<string> {
    checkMessage(message);
    const copies = [{ ...destination }, { ...message }] as const;
    return this.#queue.write(() => this.enqueue(...copies));
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    return this.#dispatch.deliver(deliver);
  }

  /**
   * Resolves when no message is due or in flight, including messages whose commit is still in progress. With `all`,
   * delayed messages count as due.
   */
  async idle({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    await this.#queue.write(() => {});
    await this.#dispatch.idle(all);
  }

  async dead({ consumer, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    return this.#dead.list(consumer, after, limit);
  }

  /** Lists the messages that died most recently, newest first. */
  async newestDead(limit: number): Promise<readonly DeadMessage[]> {
    return this.#dead.newest(limit);
  }

  async replay(consumer: string, id: string): Promise<boolean> {
    return this.#queue.write(() => {
      const message = this.#dead.take(consumer, id);
      if (message === undefined) return false;
      const now = this.#clock.now();
      this.#put(inboxOf({ id: consumer, destination: message.destination }), {
        id,
        sent: now,
        due: now,
        body: message.body,
      });
      return true;
    });
  }

  async drop(consumer: string, id: string): Promise<boolean> {
    return this.#queue.write(() => this.#dead.take(consumer, id) !== undefined);
  }

  async backlog(): Promise<readonly Backlog[]> {
    const counts = new Map(this.#rows.counts().map((count) => [inboxName(count.inbox), count]));
    const inboxes = new Map([
      ...this.#consumers.map((consumer) => [inboxName(inboxOf(consumer)), inboxOf(consumer)] as const),
      ...[...counts].map(([name, { inbox }]) => [name, inbox] as const),
    ]);
    return [...inboxes].map(([name, inbox]) => {
      const { messages = 0, started = 0, due, oldest } = counts.get(name) ?? {};
      const misfit = misfitInbox(inbox);
      const underWay = this.#dispatch.underWay(misfit ?? inbox);
      const { deliveries = 0, firstDeliveries = 0 } = (misfit === undefined ? underWay : undefined) ?? {};
      return {
        destination: inbox.destination,
        consumer: underWay?.consumer ?? misfit?.consumer ?? inbox.consumer,
        messages,
        // Includes messages whose first delivery was interrupted because its process died.
        retried: started - firstDeliveries,
        inFlight: deliveries,
        ...(misfit !== undefined && { misfit: true }),
        ...(due !== undefined && { due: new Date(due) }),
        ...(oldest !== undefined && { oldest: new Date(oldest) }),
      };
    });
  }

  /** Lists the next messages for a consumer, including messages in flight. */
  async pending(destination: string, consumer: string, limit: number): Promise<readonly PendingMessage[]> {
    return this.#rows.list(inboxNamed(destination, consumer), limit);
  }

  /** Makes a message due now, unless it is in flight. */
  async hasten(destination: string, consumer: string, id: string): Promise<void> {
    const inbox = inboxNamed(destination, consumer);
    const now = this.#clock.now();
    await this.#queue.write(() => {
      if (!this.#dispatch.isInFlight(inbox, id)) this.#rows.hasten(inbox, id, now);
    });
    this.#dispatch.expect(inbox, now);
  }

  async deadCount(): Promise<number> {
    return this.#dead.count();
  }

  /** Stops delivering, and ends deliveries in flight as unfinished. */
  close(): void {
    this.#dispatch.close();
  }

  #put(inbox: Inbox, message: NewMessage): void {
    this.#rows.insert(inbox, message);
    this.#dispatch.expect(inbox, message.due);
  }
}
