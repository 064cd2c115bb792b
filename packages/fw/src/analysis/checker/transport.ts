import type { Readable, Writable } from "node:stream";
import { framed, MessageReader } from "../../lib/message-frames.ts";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** An answer of the server, or a question of its own. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** What the server is told when it asks about a file. */
export type Answer = (method: string, path: string) => unknown;

/**
 * JSON-RPC over the pipes of a server. The library's own transport sends one question in a turn of the event loop; here
 * all that are asked in one go together.
 */
export class Transport {
  readonly #input: Writable;
  readonly #answer: Answer | undefined;
  readonly #waiting = new Map<number | string, Waiting>();
  #last = 0;
  #unsent = "";

  constructor(input: Writable, output: Readable, answer?: Answer) {
    this.#input = input;
    this.#answer = answer;
    const messages = new MessageReader((body) => this.#take(JSON.parse(body.toString("utf8")) as Message));
    output.on("data", (chunk: Buffer) => messages.take(chunk));
  }

  /** Rejects what the server refuses. A server that ends answers nothing more. */
  ask(method: string, params: unknown): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    this.#write({ id, method, params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #write(message: object): void {
    if (this.#unsent === "") queueMicrotask(() => this.#send());
    this.#unsent += framed(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  #send(): void {
    if (this.#input.writable) this.#input.write(this.#unsent);
    this.#unsent = "";
  }

  #take(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) this.#settle(message);
    else if (id !== undefined && this.#answer) this.#write({ id, result: this.#answer(method, String(params)) });
  }

  #settle({ id, result, error }: Message): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}
