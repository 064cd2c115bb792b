import { randomUUID } from "node:crypto";
import { deadPage } from "../../../lib/limits.ts";
import type { Clock } from "../../contract.ts";
import type { Backlog } from "../../local/messages.ts";
import { deadMessage } from "../../local/messages/dead-message.ts";
import {
  byInbox,
  destinationOf,
  inboxName,
  inboxNamed,
  inboxOf,
  isShared,
  misfitInbox,
  type Inbox,
} from "../../local/messages/inbox.ts";
import { pendingMessage, type PendingMessage } from "../../local/messages/rows.ts";
import { checkMessage } from "../../message.ts";
import type {
  Consumer,
  DeadMessage,
  DeadOptions,
  Delivering,
  Delivery,
  Destination,
  Dispatcher,
  Messages,
  OutgoingMessage,
} from "../../messages.ts";
import type { Connections } from "../connections.ts";
import type { SqlRow } from "../driver.ts";
import { PostgresDispatch } from "./dispatch.ts";
import { SendQueue } from "./send-queue.ts";
import { DeliveryStore } from "./store.ts";
import { keepSubscribers } from "./subscribers.ts";
import { Wakeups } from "./wakeups.ts";

const deadColumns = "n, receiver, carrier, id, sent, died, attempts, reason, body";

/** Messages in PostgreSQL, and their delivery in this process. */
export class PostgresMessages implements Messages, Dispatcher {
  readonly #connections: Connections;
  readonly #dispatch: PostgresDispatch;
  readonly #queue: SendQueue;
  readonly #wakeups: Wakeups;
  #consumers: readonly Consumer[] = [];
  /** Settles when this process's subscribers are registered; sending waits for it. */
  #registered: Promise<void> = Promise.resolve();

  /** `random` returns a number from 0 to 1 for the jitter of each pause. */
  constructor(connections: Connections, clock: Clock, random: () => number = Math.random) {
    this.#connections = connections;
    this.#dispatch = new PostgresDispatch(new DeliveryStore(connections, random), clock);
    this.#wakeups = new Wakeups(connections, () => this.#dispatch.wake());
    this.#queue = new SendQueue(connections, (destinations) => this.#sent(destinations));
  }

  /** Checks consumers without changing anything. Throws a PlatformError `document` if `redefine` would. */
  check(consumers: readonly Consumer[]): void {
    byInbox(consumers);
  }

  /** Replaces the consumers. Resolves once messages of topics and events from all machines reach them. */
  redefine(consumers: readonly Consumer[]): Promise<void> {
    this.#dispatch.redefine(consumers);
    this.#consumers = consumers;
    const registered = this.#registered.then(() => this.refresh());
    this.#registered = registered.catch(() => {});
    return registered;
  }

  /** Registers this process's subscribers, or records that they are still in use. */
  refresh(): Promise<void> {
    return keepSubscribers(this.#connections, this.#consumers.map(inboxOf));
  }

  send(destination: Destination, message: OutgoingMessage): Promise<string> {
    return this.#send(this.#queue, this.#connections, destination, message);
  }

  /** Returns a port that sends messages through another role's connections. */
  through(connections: Connections): Messages {
    const queue = new SendQueue(connections, (destinations) => this.#sent(destinations));
    return { send: (destination, message) => this.#send(queue, connections, destination, message) };
  }

  /** Wakes consumers for messages that a commit has sent. */
  wake(destinations: readonly Destination[]): void {
    this.#sent(destinations);
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>, consumers?: ReadonlySet<string>): Delivering {
    this.#wakeups.listen();
    return this.#dispatch.deliver(deliver, consumers);
  }

  async idle({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    this.#connections.refuseIfClosed();
    await this.#queue.idle;
    await this.#dispatch.idle(all);
  }

  async dead({ consumer, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    const rows = await this.#connections.query(
      `SELECT ${deadColumns} FROM @@dead_letters WHERE n > $1 AND ($2::text IS NULL OR receiver = $2) ORDER BY n LIMIT $3`,
      [after, consumer ?? null, limit],
    );
    return rows.map(deadMessage);
  }

  /** Lists the messages that died most recently, newest first. */
  async newestDead(limit: number): Promise<readonly DeadMessage[]> {
    const rows = await this.#connections.query(`SELECT ${deadColumns} FROM @@dead_letters ORDER BY n DESC LIMIT $1`, [
      limit,
    ]);
    return rows.map(deadMessage);
  }

  async replay(consumer: string, id: string): Promise<boolean> {
    const replayed = await this.#takeDead(consumer, id, async (dead, inbox) => {
      const { nowSql } = this.#connections;
      return [
        `INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body)
         VALUES ($1, $2, ${nowSql}, 0, $3, ${nowSql}, $4)`,
        [inbox.destination, inbox.consumer, id, dead.body],
      ];
    });
    if (replayed !== undefined) this.#sent([replayed.destination]);
    return replayed !== undefined;
  }

  async drop(consumer: string, id: string): Promise<boolean> {
    return (await this.#takeDead(consumer, id)) !== undefined;
  }

  /** Counts messages by consumer, including messages in flight and messages without a consumer. */
  async backlog(): Promise<readonly Backlog[]> {
    const isHeld = `held IS NOT NULL AND due > ${this.#connections.nowSql}`;
    const rows = await this.#connections.query(
      `SELECT carrier, receiver, count(*) AS messages,
           count(*) FILTER (WHERE attempts > 1 OR attempts = 1 AND NOT (${isHeld})) AS retried,
           count(*) FILTER (WHERE ${isHeld}) AS held, min(due) AS due, min(sent) AS oldest
         FROM @@messages GROUP BY carrier, receiver`,
    );
    const counts = new Map(rows.map((row) => [inboxName(inboxIn(row)), row]));
    const inboxes = new Map(
      [...this.#consumers.map(inboxOf), ...rows.map(inboxIn)].map((each) => [inboxName(each), each]),
    );
    return [...inboxes].map(([name, inbox]) => {
      const row = counts.get(name);
      const misfit = misfitInbox(inbox);
      return {
        destination: inbox.destination,
        consumer: this.#dispatch.underWay(misfit ?? inbox)?.consumer ?? misfit?.consumer ?? inbox.consumer,
        ...(misfit !== undefined && { misfit: true as const }),
        messages: Number(row?.["messages"] ?? 0),
        retried: Number(row?.["retried"] ?? 0),
        inFlight: Number(row?.["held"] ?? 0),
        ...(row !== undefined && { due: new Date(Number(row["due"])), oldest: new Date(Number(row["oldest"])) }),
      };
    });
  }

  /** Lists the next messages for a consumer, including messages in flight. */
  async pending(destination: string, consumer: string, limit: number): Promise<readonly PendingMessage[]> {
    const inbox = inboxNamed(destination, consumer);
    const rows = await this.#connections.query(
      `SELECT id, sent, due, attempts, reason, body FROM @@messages
         WHERE carrier = $1 AND receiver = $2 ORDER BY due, n LIMIT $3`,
      [inbox.destination, inbox.consumer, limit],
    );
    return rows.map(pendingMessage);
  }

  /** Makes a message due, unless it is in flight. */
  async hasten(destination: string, consumer: string, id: string): Promise<void> {
    const inbox = inboxNamed(destination, consumer);
    const { nowSql } = this.#connections;
    await this.#connections.query(
      `UPDATE @@messages SET due = least(due, ${nowSql})
         WHERE carrier = $1 AND receiver = $2 AND id = $3 AND held IS NULL RETURNING n`,
      [inbox.destination, inbox.consumer, id],
    );
    this.#sent([destinationOf(destination)]);
  }

  async deadCount(): Promise<number> {
    const [row] = await this.#connections.query("SELECT count(*) AS dead FROM @@dead_letters", []);
    return Number(row?.["dead"] ?? 0);
  }

  /** Stops delivering: waits briefly for the deliveries in progress, then ends them as unfinished. */
  async close(): Promise<void> {
    await this.#queue.idle;
    await this.#dispatch.close();
    this.#wakeups.close();
  }

  async #send(
    queue: SendQueue,
    connections: Connections,
    destination: Destination,
    message: OutgoingMessage,
  ): Promise<string> {
    checkMessage(message);
    const pending = { id: randomUUID(), destination: { ...destination }, message: { ...message } };
    await connections.during(async () => {
      await this.#registered;
      await queue.send(pending);
    });
    return pending.id;
  }

  /** Wakes this process, and others if it lacks capacity: messages that this process can take need no notification. */
  #sent(destinations: readonly Destination[]): void {
    this.#dispatch.wake();
    if (destinations.some((destination) => !this.#takesAll(destination))) this.#wakeups.notify();
  }

  #takesAll(destination: Destination): boolean {
    const text = `${destination.kind}:${destination.name}`;
    if (isShared(destination)) return this.#dispatch.hasRoom({ destination: text, consumer: "" });
    const inboxes = this.#consumers.map(inboxOf).filter((inbox) => inbox.destination === text);
    return inboxes.every((inbox) => this.#dispatch.hasRoom(inbox));
  }

  #takeDead(
    consumer: string,
    id: string,
    then?: (dead: DeadMessage, inbox: Inbox) => Promise<[text: string, values: readonly string[]]>,
  ): Promise<DeadMessage | undefined> {
    return this.#connections.during(() =>
      this.#connections.write("", async (sql) => {
        const [row] = await sql.rows(
          `DELETE FROM @@dead_letters WHERE n =
           (SELECT n FROM @@dead_letters WHERE receiver = $1 AND id = $2 ORDER BY n LIMIT 1 FOR UPDATE) RETURNING ${deadColumns}`,
          [consumer, id],
        );
        if (row === undefined) return undefined;
        const dead = deadMessage(row);
        if (then !== undefined)
          await sql.rows(...(await then(dead, inboxOf({ id: consumer, destination: dead.destination }))));
        return dead;
      }),
    );
  }
}

function inboxIn({ carrier, receiver }: SqlRow): Inbox {
  return { destination: String(carrier), consumer: String(receiver) };
}
