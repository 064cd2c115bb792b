import { destinationText } from "../../local/messages/inbox.ts";
import { waitingMessage } from "../../local/messages/message-transfer.ts";
import type { DeadMessage } from "../../messages.ts";
import type { MessageTransfer, WaitingMessage } from "../../transfer/messages.ts";
import type { Connections } from "../connections.ts";

/** Reads and writes the messages of a database that is being copied. */
export class PostgresMessageTransfer implements MessageTransfer {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async waiting(after: number, limit: number): Promise<readonly (WaitingMessage & { readonly position: number })[]> {
    const rows = await this.#connections.query(
      `SELECT n, carrier, receiver, id, due, sent, attempts, reason, body, traceparent FROM @@messages
         WHERE n > $1 ORDER BY n LIMIT $2`,
      [after, limit],
    );
    return rows.map(waitingMessage);
  }

  async clear(): Promise<void> {
    await this.#write(async (rows) => {
      await rows("DELETE FROM @@messages", []);
      await rows("DELETE FROM @@dead_letters", []);
    });
  }

  async add(messages: readonly WaitingMessage[]): Promise<void> {
    await this.#write((rows) =>
      rows(
        `INSERT INTO @@messages (carrier, receiver, id, due, sent, attempts, reason, body, traceparent)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::integer[], $7::text[],
           $8::text[], $9::text[])`,
        [
          messages.map(({ destination }) => destination),
          messages.map(({ consumer }) => consumer),
          messages.map(({ id }) => id),
          messages.map(({ due }) => due),
          messages.map(({ sentAt }) => sentAt),
          messages.map(({ attempts }) => attempts),
          messages.map(({ reason }) => reason ?? null),
          messages.map(({ body }) => body),
          messages.map(({ traceparent }) => traceparent ?? null),
        ],
      ),
    );
  }

  async addDead(messages: readonly DeadMessage[]): Promise<void> {
    await this.#write((rows) =>
      rows(
        `INSERT INTO @@dead_letters (receiver, carrier, id, sent, died, attempts, reason, body)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::integer[], $7::text[],
           $8::text[])`,
        [
          messages.map(({ consumer }) => consumer),
          messages.map(({ destination }) => destinationText(destination)),
          messages.map(({ id }) => id),
          messages.map(({ sent }) => sent.getTime()),
          messages.map(({ died }) => died.getTime()),
          messages.map(({ attempts }) => attempts),
          messages.map(({ reason }) => reason),
          messages.map(({ body }) => body),
        ],
      ),
    );
  }

  /** Runs statements in one transaction, and makes `close` wait for it. */
  #write(work: (rows: StatementRunner) => Promise<unknown>): Promise<void> {
    return this.#connections.during(() =>
      this.#connections.write("", async (sql) => void (await work((text, values) => sql.rows(text, values)))),
    );
  }
}

type StatementRunner = (
  ...statement: Parameters<Connections["runRepeatable"]>
) => ReturnType<Connections["runRepeatable"]>;
