import type { Readable, Writable } from "node:stream";
import { framed, MessageReader } from "../../lib/message-frames.ts";

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A response of the server, or a request from it. */
interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Answers the server's requests about files. */
export type AnswerFileQuestion = (method: string, path: string) => unknown;

export interface TransportListeners {
  readonly answer?: AnswerFileQuestion | undefined;
  /** Called for each answer of the server. */
  readonly onAnswer?: () => void;
}

/**
 * JSON-RPC over the pipes of a server. The library's transport sends one request per turn of the event loop; this one
 * sends all pending requests together.
 */
export class Transport {
  readonly #input: Writable;
  readonly #listeners: TransportListeners;
  readonly #waiting = new Map<number | string, PendingRequest>();
  #last = 0;
  #unsent = "";

  constructor(input: Writable, output: Readable, listeners: TransportListeners = {}) {
    this.#input = input;
    this.#listeners = listeners;
    const messages = new MessageReader((body) => this.#take(JSON.parse(body.toString("utf8")) as RpcMessage));
    output.on("data", (chunk: Buffer) => messages.take(chunk));
  }

  /** Rejects if the server refuses the request. Requests to a server that exits never settle. */
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

  #take(message: RpcMessage): void {
    const { id, method, params } = message;
    if (method === undefined) this.#settle(message);
    else if (id !== undefined && this.#listeners.answer)
      this.#write({ id, result: this.#listeners.answer(method, String(params)) });
  }

  #settle({ id, result, error }: RpcMessage): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    this.#listeners.onAnswer?.();
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}
