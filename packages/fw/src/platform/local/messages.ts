import { randomUUID } from "node:crypto";
import { deadPage } from "../../lib/limits.ts";
import type { Clock } from "../contract.ts";
import { checkMessage } from "../message.ts";
import type {
  Carrier,
  DeadMessage,
  DeadOptions,
  Delivering,
  Delivery,
  Dispatcher,
  Messages,
  OutgoingMessage,
  Receiver,
} from "../messages.ts";
import { DeadLetters, deadLetterTables } from "./messages/dead-letters.ts";
import { Dispatch } from "./messages/dispatch.ts";
import { inboxesOf, inboxOf } from "./messages/inbox.ts";
import type { Inbox } from "./messages/inbox.ts";
import { Ledger } from "./messages/ledger.ts";
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
  #receivers: readonly Receiver[] = [];

  /** `random` gives a number from 0 to 1, for how long pauses are. */
  constructor(
    database: Database,
    queue: WriteQueue,
    clock: Clock,
    receivers: readonly Receiver[],
    random: () => number = Math.random,
  ) {
    this.#queue = queue;
    this.#clock = clock;
    this.#rows = new MessageRows(database);
    this.#dead = new DeadLetters(database);
    const send = (carrier: Carrier, body: string): void => void this.enqueue(carrier, { body });
    const ledger = new Ledger({ rows: this.#rows, dead: this.#dead, send, random });
    this.#dispatch = new Dispatch({ database, clock, rows: this.#rows, ledger });
    this.redefine(receivers);
  }

  /** Takes other receivers. Messages of those that are gone wait until they come back. */
  redefine(receivers: readonly Receiver[]): void {
    this.#dispatch.redefine(receivers);
    this.#receivers = receivers;
  }

  /** Keeps a message in the commit under way; call it inside of a write, with a message that was checked. Returns its id. */
  enqueue(carrier: Carrier, { body, delay = 0 }: OutgoingMessage, id: string = randomUUID()): string {
    const sent = this.#clock.now();
    for (const inbox of inboxesOf(carrier, this.#receivers)) this.#put(inbox, { id, sent, due: sent + delay, body });
    return id;
  }

  /** Looks for what is due, as `enqueue` asks for by itself. */
  wake(): void {
    this.#dispatch.wake();
  }

  async send(carrier: Carrier, message: OutgoingMessage): Promise<string> {
    checkMessage(message);
    const copy = { carrier: { ...carrier }, message: { ...message } };
    return this.#queue.write(() => this.enqueue(copy.carrier, copy.message));
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    return this.#dispatch.deliver(deliver);
  }

  /** What was sent before counts, also where its commit is still under way. */
  async idle({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    await this.#queue.write(() => {});
    await this.#dispatch.idle(all);
  }

  async dead({ receiver, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    return this.#dead.list(receiver, after, limit);
  }

  async replay(receiver: string, id: string): Promise<boolean> {
    return this.#queue.write(() => {
      const message = this.#dead.take(receiver, id);
      if (message === undefined) return false;
      const now = this.#clock.now();
      this.#put(inboxOf({ id: receiver, carrier: message.carrier }), { id, sent: now, due: now, body: message.body });
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
