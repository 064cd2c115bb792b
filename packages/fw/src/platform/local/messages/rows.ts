import { prepareAll, type Database, type Row, type Statement } from "../sqlite.ts";
import { misfitMark, type Inbox } from "./inbox.ts";

/**
 * `messages` has a row for each message and inbox. `attempts` counts the started deliveries. `reason` is the error of
 * the last delivery; it is null while a delivery is in flight or if the process ended during it. `message_traces` has
 * optional trace contexts; rows with another message's id are left over from an earlier version of fw.
 */
export const messageRowTables = `
  CREATE TABLE messages (
    n INTEGER PRIMARY KEY, carrier TEXT NOT NULL, receiver TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL,
    id TEXT NOT NULL, sent INTEGER NOT NULL, reason TEXT, body TEXT NOT NULL
  );
  CREATE INDEX messages_due ON messages (carrier, receiver, due);
  CREATE TABLE message_traces (n INTEGER PRIMARY KEY, id TEXT NOT NULL, traceparent TEXT NOT NULL);
`;

export interface StoredMessage {
  readonly n: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly body: string;
  readonly traceparent: string | undefined;
}

export interface NewMessage extends Pick<StoredMessage, "id" | "sent" | "body"> {
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly traceparent?: string | undefined;
}

/** The backlog of an inbox, including messages in flight. */
export interface InboxCount {
  readonly inbox: Inbox;
  readonly messages: number;
  /** The number of messages with at least one delivery, which may be in flight. */
  readonly started: number;
  /** When the first of the messages is due. */
  readonly due: number;
  /** When the oldest of the messages was sent. */
  readonly oldest: number;
}

/** A message that is waiting or in flight. */
export interface PendingMessage {
  readonly id: string;
  readonly sentAt: Date;
  /** When the next delivery is due. In flight: when the message would be due after a crash. */
  readonly due: Date;
  readonly attempts: number;
  /** The error of the last delivery. */
  readonly reason?: string;
  readonly body: string;
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
  setAside: `UPDATE messages SET attempts = attempts - 1, reason = ?, receiver = '${misfitMark}' || receiver WHERE n = ?`,
  takeBack: `UPDATE messages SET due = min(due, ?), receiver = substr(receiver, ${misfitMark.length + 1})
       WHERE receiver >= '${misfitMark}' AND receiver < '${misfitMark}~'`,
  remove: "DELETE FROM messages WHERE n = ?",
  list: `SELECT id, sent, due, attempts, reason, body FROM messages WHERE carrier = ? AND receiver = ?
       ORDER BY due, n LIMIT ?`,
  hasten: "UPDATE messages SET due = min(due, ?) WHERE carrier = ? AND receiver = ? AND id = ?",
  count: `SELECT carrier, receiver, count(*), sum(attempts > 0), min(due), min(sent)
       FROM messages GROUP BY carrier, receiver`,
  advance: `UPDATE messages SET due = CASE WHEN attempts = 0 THEN ?1 + due - sent ELSE ?1 END
       WHERE carrier = ?2 AND receiver = ?3 AND due > ?1
       AND (attempts = 0 AND sent > ?1 OR attempts > 0 AND due > ?1 + ?4)`,
} as const;

/** The rows of messages to deliver. Change them inside a write. */
export class MessageRows {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, statements);
  }

  insert({ destination, consumer }: Inbox, { id, sent, due, body, traceparent }: NewMessage): void {
    this.#sql.insert.run(destination, consumer, due, id, sent, body);
    if (traceparent !== undefined) this.#sql.trace.run(id, traceparent);
  }

  /** Returns the first messages of an inbox in the order of their due times. */
  next({ destination, consumer }: Inbox, limit: number): readonly { readonly n: number; readonly due: number }[] {
    return this.#sql.next.all(destination, consumer, limit).map(([n, due]) => ({ n: Number(n), due: Number(due) }));
  }

  read(n: number): StoredMessage | undefined {
    const row = this.#sql.read.get(n);
    return row === undefined ? undefined : keptMessage(row);
  }

  /** Counts a delivery that is about to start. If the process then crashes, the message is not due before `due`. */
  countAttempt(n: number, due: number): void {
    this.#sql.attempt.run(due, n);
  }

  /** Undoes `countAttempt` and makes the message due at `now`. */
  returnUnfinished(n: number, now: number): void {
    this.#sql.giveBack.run(now, n);
  }

  postpone(n: number, due: number, reason: string): void {
    this.#sql.postpone.run(due, reason, n);
  }

  /** Undoes the start of a delivery and withholds the message from its consumer until `takeBack` is called. */
  setAside(n: number, reason: string): void {
    this.#sql.setAside.run(reason, n);
  }

  /** Returns all withheld messages to their consumers. */
  takeBack(now: number): void {
    this.#sql.takeBack.run(now);
  }

  /**
   * Repairs due times after the clock was set back. A new message with a send time in the future becomes due after its
   * delay from now. A retry that is due after more than `longestPause` becomes due now.
   */
  advance({ destination, consumer }: Inbox, now: number, longestPause: number): void {
    this.#sql.advance.run(now, destination, consumer, longestPause);
  }

  counts(): readonly InboxCount[] {
    return this.#sql.count.all().map(([destination, consumer, waiting, started, due, oldest]) => ({
      inbox: { destination: String(destination), consumer: String(consumer) },
      messages: Number(waiting),
      started: Number(started),
      due: Number(due),
      oldest: Number(oldest),
    }));
  }

  /** Lists the first messages of an inbox in the order of their due times. */
  list({ destination, consumer }: Inbox, limit: number): readonly PendingMessage[] {
    const rows = this.#sql.list.all(destination, consumer, limit);
    return rows.map(([id, sent, due, attempts, reason, body]) =>
      pendingMessage({ id, sent, due, attempts, reason, body }),
    );
  }

  /** Makes a message due at `now`. */
  hasten({ destination, consumer }: Inbox, id: string, now: number): void {
    this.#sql.hasten.run(now, destination, consumer, id);
  }

  remove({ n, traceparent }: StoredMessage): void {
    this.#sql.remove.run(n);
    if (traceparent !== undefined) this.#sql.untrace.run(n);
  }
}

function keptMessage([n, id, sent, attempts, reason, body, traceparent]: Row): StoredMessage {
  return storedMessage({ n, id, sent, attempts, reason, body, traceparent });
}

export function storedMessage(row: Readonly<Record<string, unknown>>): StoredMessage {
  const { n, id, sent, attempts, reason, body, traceparent } = row;
  return {
    n: Number(n),
    id: String(id),
    sent: Number(sent),
    attempts: Number(attempts),
    reason: typeof reason === "string" ? reason : undefined,
    body: String(body),
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
  };
}

export function pendingMessage(row: Readonly<Record<string, unknown>>): PendingMessage {
  const { id, sent, due, attempts, reason, body } = row;
  return {
    id: String(id),
    sentAt: new Date(Number(sent)),
    due: new Date(Number(due)),
    attempts: Number(attempts),
    ...(typeof reason === "string" && { reason }),
    body: String(body),
  };
}
