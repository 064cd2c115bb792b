import { deadMessages, deadReasonCharacters } from "../../../lib/limits.ts";
import { messageOf } from "../../../lib/thrown.ts";
import type { DeadMessage } from "../../messages.ts";
import type { Database, Row, Statement } from "../sqlite.ts";
import { carrierOf } from "./inbox.ts";

/** `nth` counts the dead messages of a receiver; `n` gives all their order. */
export const deadLetterTables = `
  CREATE TABLE dead_letters (
    n INTEGER PRIMARY KEY AUTOINCREMENT, receiver TEXT NOT NULL, nth INTEGER NOT NULL, carrier TEXT NOT NULL,
    id TEXT NOT NULL, sent INTEGER NOT NULL, died INTEGER NOT NULL, attempts INTEGER NOT NULL, reason TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX dead_letters_receiver ON dead_letters (receiver, nth);
  CREATE INDEX dead_letters_id ON dead_letters (receiver, id);
`;

/** A message that dies. */
export interface DyingMessage {
  readonly receiver: string;
  readonly carrier: string;
  readonly id: string;
  readonly sent: number;
  readonly died: number;
  readonly attempts: number;
  readonly reason: string;
  readonly body: string;
}

const columns = "n, receiver, carrier, id, sent, died, attempts, reason, body";

/** The rows of the messages that are dead. Changed inside of a write. */
export class DeadLetters {
  readonly #last: Statement;
  readonly #insert: Statement;
  readonly #forget: Statement;
  readonly #find: Statement;
  readonly #remove: Statement;
  readonly #list: Statement;
  readonly #listAll: Statement;

  constructor(database: Database) {
    this.#last = database.prepare("SELECT nth FROM dead_letters WHERE receiver = ? ORDER BY nth DESC LIMIT 1");
    this.#insert = database.prepare(
      `INSERT INTO dead_letters (receiver, nth, carrier, id, sent, died, attempts, reason, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#forget = database.prepare("DELETE FROM dead_letters WHERE receiver = ? AND nth <= ?");
    this.#find = database.prepare(`SELECT ${columns} FROM dead_letters WHERE receiver = ? AND id = ?`);
    this.#remove = database.prepare("DELETE FROM dead_letters WHERE n = ?");
    this.#list = database.prepare(
      `SELECT ${columns} FROM dead_letters WHERE receiver = ? AND n > ? ORDER BY n LIMIT ?`,
    );
    this.#listAll = database.prepare(`SELECT ${columns} FROM dead_letters WHERE n > ? ORDER BY n LIMIT ?`);
  }

  /** Keeps the message, and forgets the receiver's oldest when there are too many. */
  add({ receiver, carrier, id, sent, died, attempts, reason, body }: DyingMessage): void {
    const nth = Number(this.#last.get(receiver)?.[0] ?? 0) + 1;
    this.#insert.run(receiver, nth, carrier, id, sent, died, attempts, reason, body);
    this.#forget.run(receiver, nth - deadMessages);
  }

  /** Takes a message out, the oldest of its id. */
  take(receiver: string, id: string): DeadMessage | undefined {
    const row = this.#find.get(receiver, id);
    if (row === undefined) return undefined;
    const message = deadMessage(row);
    this.#remove.run(message.position);
    return message;
  }

  list(receiver: string | undefined, after: number, limit: number): readonly DeadMessage[] {
    const rows = receiver === undefined ? this.#listAll.all(after, limit) : this.#list.all(receiver, after, limit);
    return rows.map(deadMessage);
  }
}

/** What a handler failed with, as text of a bounded length. */
export function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, deadReasonCharacters);
}

function deadMessage([n, receiver, carrier, id, sent, died, attempts, reason, body]: Row): DeadMessage {
  return {
    position: Number(n),
    id: String(id),
    receiver: String(receiver),
    carrier: carrierOf(String(carrier)),
    attempts: Number(attempts),
    body: String(body),
    sent: new Date(Number(sent)),
    died: new Date(Number(died)),
    reason: String(reason),
  };
}
