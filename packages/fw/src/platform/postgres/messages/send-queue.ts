import type { Destination } from "../../messages.ts";
import type { PendingMessage } from "../../pending-writes.ts";
import type { Connections } from "../connections.ts";
import { commitMessages } from "./insert.ts";

/** The maximum number of messages in one commit, and of their characters. */
const mostMessages = 500;
const mostCharacters = 4 * 1024 * 1024;

interface Waiting {
  readonly message: PendingMessage;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Sends messages with group commit: messages that arrive during a commit share the next one. */
export class SendQueue {
  readonly #connections: Connections;
  readonly #sent: (destinations: readonly Destination[]) => void;
  #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;

  /** `sent` is called after each commit. */
  constructor(connections: Connections, sent: (destinations: readonly Destination[]) => void) {
    this.#connections = connections;
    this.#sent = sent;
  }

  /** Resolves when the message is committed. */
  send(message: PendingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      this.#sending ??= this.#sendAll();
    });
  }

  /** Resolves when every message sent so far is committed or has failed. */
  get idle(): Promise<void> {
    return this.#sending ?? Promise.resolve();
  }

  async #sendAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      try {
        const messages = batch.map(({ message }) => message);
        await commitMessages(this.#connections, messages);
        for (const { resolve } of batch) resolve();
        this.#sent(messages.map(({ destination }) => destination));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // Cleared synchronously after the loop ends: a message that arrived in between would wait for the next send.
    this.#sending = undefined;
  }

  #take(): Waiting[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ message }, i) => {
      characters += message.message.body.length;
      return i > 0 && (i >= mostMessages || characters > mostCharacters);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
