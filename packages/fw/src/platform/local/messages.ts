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
import { byInbox, Dispatch } from "./messages/dispatch.ts";
import { inboxesOf, inboxName, inboxOf } from "./messages/inbox.ts";
import type { Inbox } from "./messages/inbox.ts";
import { Attempts } from "./messages/attempts.ts";
import { MessageRows, messageRowTables, type PutMessage } from "./messages/rows.ts";
import { taskBodies } from "../task.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The tables of messages. */
export const messageTables: string = `${messageRowTables}${deadLetterTables}`;

/** The messages that wait for a consumer, those under way among them. */
export interface Backlog {
  /** Such as `queue:emails`. */
  readonly destination: string;
  /** Its service; "" where nobody takes what waits. */
  readonly consumer: string;
  readonly messages: number;
  /** Those of which a delivery has begun before. */
  readonly retried: number;
  readonly inFlight: number;
  /** When the first is due; absent where there is none. */
  readonly due?: Date;
}

/** Messages in SQLite, and their delivery in this process. */
export class LocalMessages implements Messages, Dispatcher {
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #rows: MessageRows;
  readonly #dead: DeadLetters;
  readonly #dispatch: Dispatch;
  #consumers: readonly Consumer[] = [];

  /** `random` gives a number from 0 to 1, for how long pauses are. */
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

  /** Fails with `document` where `redefine` would. */
  check(consumers: readonly Consumer[]): void {
    byInbox(consumers);
  }

  /** Takes other consumers. Messages of those that are gone wait until they come back. */
  redefine(consumers: readonly Consumer[]): void {
    this.#dispatch.redefine(consumers);
    this.#consumers = consumers;
  }

  /** Keeps a message in the commit under way; call it inside of a write, with a message that was checked. Returns its id. */
  enqueue(destination: Destination, message: OutgoingMessage, id: string = randomUUID()): string {
    const { body, delay = 0, traceparent } = message;
    const sent = this.#clock.now();
    const bodies = destination.kind === "job" ? [...taskBodies(body)] : [body];
    for (const inbox of inboxesOf(destination, this.#consumers))
      for (const [task, taskBody] of bodies.entries())
        this.#put(inbox, {
          id: task === 0 ? id : `${id}-${task}`,
          sent,
          due: sent + delay,
          body: taskBody,
          traceparent,
        });
    return id;
  }

  /** Looks for what is due, as `enqueue` asks for by itself. */
  wake(): void {
    this.#dispatch.wake();
  }

  async send(destination: Destination, message: OutgoingMessage): Promise<string> {
    checkMessage(message);
    const copy = { destination: { ...destination }, message: { ...message } };
    return this.#queue.write(() => this.enqueue(copy.destination, copy.message));
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    return this.#dispatch.deliver(deliver);
  }

  /** What was sent before counts, also where its commit is still under way. */
  async idle({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    await this.#queue.write(() => {});
    await this.#dispatch.idle(all);
  }

  async dead({ consumer, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    return this.#dead.list(consumer, after, limit);
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

  /** What waits for each consumer, and where nobody takes what waits. */
  async backlog(): Promise<readonly Backlog[]> {
    const counts = new Map(this.#rows.counts().map((count) => [inboxName(count.inbox), count]));
    const inboxes = new Map([
      ...this.#consumers.map((consumer) => [inboxName(inboxOf(consumer)), inboxOf(consumer)] as const),
      ...[...counts].map(([name, { inbox }]) => [name, inbox] as const),
    ]);
    return [...inboxes].map(([name, inbox]) => {
      const { messages = 0, retried = 0, due } = counts.get(name) ?? {};
      const underWay = this.#dispatch.underWay(inbox);
      return {
        destination: inbox.destination,
        consumer: underWay?.consumer ?? inbox.consumer,
        messages,
        retried,
        inFlight: underWay?.deliveries ?? 0,
        ...(due !== undefined && { due: new Date(due) }),
      };
    });
  }

  /** Ends delivering and gives back what is under way. */
  close(): void {
    this.#dispatch.close();
  }

  #put(inbox: Inbox, message: PutMessage): void {
    this.#rows.insert(inbox, message);
    this.#dispatch.expect(inbox, message.due);
  }
}
