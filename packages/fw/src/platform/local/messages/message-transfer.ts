import type { DeadMessage } from "../../messages.ts";
import type { MessageTransfer, WaitingMessage } from "../../transfer/messages.ts";
import { prepareAll, type Statement } from "../sqlite.ts";
import type { LocalStore } from "../open.ts";
import type { WriteQueue } from "../write-queue.ts";
import { destinationText } from "./inbox.ts";

const statements = {
  list: `SELECT n, carrier, receiver, messages.id, due, sent, attempts, reason, body, traceparent
       FROM messages LEFT JOIN message_traces USING (n, id) WHERE n > ? ORDER BY n LIMIT ?`,
  clear: "DELETE FROM messages",
  clearTraces: "DELETE FROM message_traces",
  clearDead: "DELETE FROM dead_letters",
  insert: `INSERT INTO messages (carrier, receiver, id, due, sent, attempts, reason, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  trace: "INSERT OR REPLACE INTO message_traces VALUES (last_insert_rowid(), ?, ?)",
  insertDead: `INSERT INTO dead_letters (receiver, nth, carrier, id, sent, died, attempts, reason, body)
       VALUES (?1, 1 + (SELECT ifnull(max(nth), 0) FROM dead_letters WHERE receiver = ?1), ?, ?, ?, ?, ?, ?, ?)`,
} as const;

/** Reads and writes the messages of a data directory that is being copied. */
export class LocalMessageTransfer implements MessageTransfer {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #queue: WriteQueue;

  constructor({ database, queue }: LocalStore) {
    this.#sql = prepareAll(database, statements);
    this.#queue = queue;
  }

  async waiting(after: number, limit: number): Promise<readonly (WaitingMessage & { readonly position: number })[]> {
    return this.#sql.list
      .all(after, limit)
      .map(([n, carrier, receiver, id, due, sent, attempts, reason, body, traceparent]) =>
        waitingMessage({ n, carrier, receiver, id, due, sent, attempts, reason, body, traceparent }),
      );
  }

  async clear(): Promise<void> {
    const { clear, clearTraces, clearDead } = this.#sql;
    await this.#queue.write(() => [clear, clearTraces, clearDead].map((statement) => statement.run()));
  }

  async add(messages: readonly WaitingMessage[]): Promise<void> {
    await this.#queue.write(() => {
      for (const { destination, consumer, id, due, sentAt, attempts, reason, body, traceparent } of messages) {
        this.#sql.insert.run(destination, consumer, id, due, sentAt, attempts, reason ?? null, body);
        if (traceparent !== undefined) this.#sql.trace.run(id, traceparent);
      }
    });
  }

  async addDead(messages: readonly DeadMessage[]): Promise<void> {
    await this.#queue.write(() => {
      for (const { consumer, destination, id, sent, died, attempts, reason, body } of messages) {
        const carrier = destinationText(destination);
        this.#sql.insertDead.run(consumer, carrier, id, sent.getTime(), died.getTime(), attempts, reason, body);
      }
    });
  }
}

export function waitingMessage(row: Readonly<Record<string, unknown>>): WaitingMessage & { readonly position: number } {
  const { n, carrier, receiver, id, due, sent, attempts, reason, body, traceparent } = row;
  return {
    position: Number(n),
    destination: String(carrier),
    consumer: String(receiver),
    id: String(id),
    due: Number(due),
    sentAt: Number(sent),
    attempts: Number(attempts),
    ...(typeof reason === "string" && { reason }),
    body: String(body),
    ...(typeof traceparent === "string" && { traceparent }),
  };
}
