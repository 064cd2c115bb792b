import { deadMessages } from "../../../lib/limits.ts";
import type { DeadMessage } from "../../messages.ts";
import { prepareAll, type Database, type Row, type Statement } from "../sqlite.ts";
import type { ConsumerLane } from "./consumer-lane.ts";
import { deadMessage } from "./dead-message.ts";
import type { StoredMessage } from "./rows.ts";

/** `nth` counts the dead messages of one consumer; `n` orders all of them. */
export const deadLetterTables = `
  CREATE TABLE dead_letters (
    n INTEGER PRIMARY KEY AUTOINCREMENT, receiver TEXT NOT NULL, nth INTEGER NOT NULL, carrier TEXT NOT NULL,
    id TEXT NOT NULL, sent INTEGER NOT NULL, died INTEGER NOT NULL, attempts INTEGER NOT NULL, reason TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX dead_letters_receiver ON dead_letters (receiver, nth);
  CREATE INDEX dead_letters_id ON dead_letters (receiver, id);
`;

const select = "SELECT n, receiver, carrier, id, sent, died, attempts, reason, body FROM dead_letters";

const statements = {
  last: "SELECT nth FROM dead_letters WHERE receiver = ? ORDER BY nth DESC LIMIT 1",
  insert: `INSERT INTO dead_letters (receiver, nth, carrier, id, sent, died, attempts, reason, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  forget: "DELETE FROM dead_letters WHERE receiver = ? AND nth <= ?",
  find: `${select} WHERE receiver = ? AND id = ?`,
  remove: "DELETE FROM dead_letters WHERE n = ?",
  list: `${select} WHERE receiver = ? AND n > ? ORDER BY n LIMIT ?`,
  count: "SELECT count(*) FROM dead_letters",
  newest: `${select} ORDER BY n DESC LIMIT ?`,
  listAll: `${select} WHERE n > ? ORDER BY n LIMIT ?`,
} as const;

/** The rows of dead messages. Change them in a transaction. */
export class DeadLetters {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, statements);
  }

  /** Stores a dead message and deletes the consumer's oldest ones beyond the limit. */
  add(
    { inbox, consumer }: ConsumerLane,
    { id, sent, attempts, body }: StoredMessage,
    { reason, died }: { readonly reason: string; readonly died: number },
  ): void {
    const nth = Number(this.#sql.last.get(consumer.id)?.[0] ?? 0) + 1;
    this.#sql.insert.run(consumer.id, nth, inbox.destination, id, sent, died, attempts, reason, body);
    this.#sql.forget.run(consumer.id, nth - deadMessages);
  }

  count(): number {
    return Number(this.#sql.count.get()?.[0] ?? 0);
  }

  /** Lists the newest messages of all consumers, newest first. */
  newest(limit: number): readonly DeadMessage[] {
    return this.#sql.newest.all(limit).map(deadMessageIn);
  }

  /** Removes and returns the consumer's oldest dead message with this id; undefined if there is none. */
  take(consumer: string, id: string): DeadMessage | undefined {
    const [message] = this.#sql.find.all(consumer, id).map(deadMessageIn);
    if (message) this.#sql.remove.run(message.position);
    return message;
  }

  list(consumer: string | undefined, after: number, limit: number): readonly DeadMessage[] {
    const rows =
      consumer === undefined ? this.#sql.listAll.all(after, limit) : this.#sql.list.all(consumer, after, limit);
    return rows.map(deadMessageIn);
  }
}

function deadMessageIn([n, receiver, carrier, id, sent, died, attempts, reason, body]: Row): DeadMessage {
  return deadMessage({ n, receiver, carrier, id, sent, died, attempts, reason, body });
}
