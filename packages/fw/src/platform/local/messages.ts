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
import { inboxesOf, inboxOf } from "./messages/inbox.ts";
import type { Inbox } from "./messages/inbox.ts";
import { DeliveryLog } from "./messages/delivery-log.ts";
import { MessageRows, messageRowTables } from "./messages/rows.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The tables of messages. */
export const messageTables: string = `${messageRowTables}${deadLetterTables}`;

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
    const send = (destination: Destination, body: string): void => void this.enqueue(destination, { body });
    const log = new DeliveryLog({ rows: this.#rows, dead: this.#dead, send, random });
    this.#dispatch = new Dispatch({ database, clock, rows: this.#rows, log });
    this.redefine(consumers);
  }

  /** Takes other consumers. Messages of those that are gone wait until they come back. */
  redefine(consumers: readonly Consumer[]): void {
    this.#dispatch.redefine(consumers);
    this.#consumers = consumers;
  }

  /** Keeps a message in the commit under way; call it inside of a write, with a message that was checked. Returns its id. */
  enqueue(destination: Destination, { body, delay = 0 }: OutgoingMessage, id: string = randomUUID()): string {
    const sent = this.#clock.now();
    for (const inbox of inboxesOf(destination, this.#consumers))
      this.#put(inbox, { id, sent, due: sent + delay, body });
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

  /** Ends delivering and gives back what is under way. */
  close(): void {
    this.#dispatch.close();
  }

  #put(inbox: Inbox, message: { id: string; sent: number; due: number; body: string }): void {
    this.#rows.insert(inbox, message);
    this.#dispatch.expect(inbox, message.due);
  }
}
