import type { Destination, Messages, OutgoingMessage } from "../../messages.ts";
import type { Connection } from "./connection.ts";

/** Messages that another process keeps and delivers. */
export class LoopbackMessages implements Messages {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async send({ kind, name }: Destination, { body, delay }: OutgoingMessage): Promise<string> {
    return this.#connection.write("messages/send", { destination: { kind, name }, body, delay });
  }
}
