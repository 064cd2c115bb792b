import { prepared, type Database, type Row, type Statement } from "../sqlite.ts";
import type { Inbox } from "./inbox.ts";

/**
 * `messages` has a row for each message and inbox. `attempts` counts the deliveries that were begun; `reason` is what the
 * last one failed with, and null while one is under way, and when the process ended in the middle of it. `message_traces` has what some
 * carry beside their body; a row whose id is another one's was left by an earlier fw.
 */
export const messageRowTables = `
  CREATE TABLE messages (
    n INTEGER PRIMARY KEY, carrier TEXT NOT NULL, receiver TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL,
    id TEXT NOT NULL, sent INTEGER NOT NULL, reason TEXT, body TEXT NOT NULL
  );
  CREATE INDEX messages_due ON messages (carrier, receiver, due);
  CREATE TABLE message_traces (n INTEGER PRIMARY KEY, id TEXT NOT NULL, traceparent TEXT NOT NULL);
`;

/** A message of one inbox. */
export interface KeptMessage {
  readonly n: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly body: string;
  readonly traceparent: string | undefined;
}

/** A message as it is put in. */
export interface PutMessage extends Pick<KeptMessage, "id" | "sent" | "body"> {
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly traceparent?: string | undefined;
}

/** What waits in an inbox, and what is under way of it. */
export interface InboxCount {
  readonly inbox: Inbox;
  readonly messages: number;
  /** Those of which a delivery has begun before. */
  readonly retried: number;
  /** When the first of them is due. */
  readonly due: number;
}

const statements = {
  insert: "INSERT INTO messages (carrier, receiver, due, attempts, id, sent, body) VALUES (?, ?, ?, 0, ?, ?, ?)",
  next: "SELECT n, due FROM messages WHERE carrier = ? AND receiver = ? ORDER BY due, n LIMIT ?",
  read: `SELECT n, id, sent, attempts, reason, body, traceparent FROM messages LEFT JOIN message_traces USING (n, id)
       WHERE n = ?`,
  trace: "INSERT OR REPLACE INTO message_traces VALUES (last_insert_rowid(), ?, ?)",
  untrace: "DELETE FROM message_traces WHERE n = ?",
  attempt: "UPDATE messages SET attempts = attempts + 1, reason = NULL, due = max(due, ?) WHERE n = ?",
  giveBack: "UPDATE messages SET attempts = attempts - 1, due = min(due, ?) WHERE n = ?",
  postpone: "UPDATE messages SET due = ?, reason = ? WHERE n = ?",
  remove: "DELETE FROM messages WHERE n = ?",
  count: "SELECT carrier, receiver, count(*), sum(attempts > 0), min(due) FROM messages GROUP BY carrier, receiver",
  advance: `UPDATE messages SET due = CASE WHEN attempts = 0 THEN ?1 + due - sent ELSE ?1 END
       WHERE carrier = ?2 AND receiver = ?3 AND due > ?1
       AND (attempts = 0 AND sent > ?1 OR attempts > 0 AND due > ?1 + ?4)`,
} as const;

/** The rows of the messages that are to be delivered. Called inside of a write. */
export class MessageRows {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(database: Database) {
    this.#sql = prepared(database, statements);
  }

  insert({ destination, consumer }: Inbox, { id, sent, due, body, traceparent }: PutMessage): void {
    this.#sql.insert.run(destination, consumer, due, id, sent, body);
    if (traceparent !== undefined) this.#sql.trace.run(id, traceparent);
  }

  /** The first ones in the order in which they are due. */
  next({ destination, consumer }: Inbox, limit: number): readonly { readonly n: number; readonly due: number }[] {
    return this.#sql.next.all(destination, consumer, limit).map(([n, due]) => ({ n: Number(n), due: Number(due) }));
  }

  read(n: number): KeptMessage | undefined {
    const row = this.#sql.read.get(n);
    return row === undefined ? undefined : keptMessage(row);
  }

  /** Counts a delivery that begins. Where nothing more is heard of it, the message is due again at `due`, at the earliest. */
  countAttempt(n: number, due: number): void {
    this.#sql.attempt.run(due, n);
  }

  /** Takes back that a delivery began. */
  giveBack(n: number, now: number): void {
    this.#sql.giveBack.run(now, n);
  }

  postpone(n: number, due: number, reason: string): void {
    this.#sql.postpone.run(due, reason, n);
  }

  /**
   * After the clock was set back: what was sent in what is now the future is due after its delay from now, and what waits for longer than
   * a pause can be is due.
   */
  advance({ destination, consumer }: Inbox, now: number, longestPause: number): void {
    this.#sql.advance.run(now, destination, consumer, longestPause);
  }

  /** How many messages each inbox has that has some. */
  counts(): readonly InboxCount[] {
    return this.#sql.count.all().map(([destination, consumer, waiting, retried, due]) => ({
      inbox: { destination: String(destination), consumer: String(consumer) },
      messages: Number(waiting),
      retried: Number(retried),
      due: Number(due),
    }));
  }

  remove({ n, traceparent }: KeptMessage): void {
    this.#sql.remove.run(n);
    if (traceparent !== undefined) this.#sql.untrace.run(n);
  }
}

function keptMessage([n, id, sent, attempts, reason, body, traceparent]: Row): KeptMessage {
  return {
    n: Number(n),
    id: String(id),
    sent: Number(sent),
    attempts: Number(attempts),
    reason: reason === null ? undefined : String(reason),
    body: String(body),
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
  };
}
