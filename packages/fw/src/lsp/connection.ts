import { framed, MessageReader } from "../lib/message-frames.ts";
import { isObject } from "../lib/record-in.ts";
import type { Params } from "./params.ts";
import { errorCodes, RequestError } from "./protocol.ts";

export interface Handlers {
  /** Answers a request. Rejects with a RequestError to refuse it. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notification(method: string, params: unknown): void;
  /** Receives errors that belong to no request. */
  failed(error: unknown): void;
}

/** The largest message in bytes; enough for the largest source file as JSON. */
const largestMessage = 256 * 1024 * 1024;

type Id = number | string;

/** A protocol's message framing and cancellation. */
export interface Wire {
  /** Splits the client's bytes into messages; `take` throws a FrameError for bytes that are not a message. */
  read(received: (body: Buffer) => void): { take(chunk: Buffer): void };
  frame(body: string): string;
  readonly cancelMethod: string;
  /** The parameter of `cancelMethod` that holds the id. */
  readonly cancelledId: string;
}

const languageServerWire: Wire = {
  read: (received) => new MessageReader(received, largestMessage),
  frame: framed,
  cancelMethod: "$/cancelRequest",
  cancelledId: "id",
};

/** A JSON-RPC 2.0 connection to one client. */
export class Connection {
  readonly #write: (text: string) => void;
  readonly #handlers: Handlers;
  readonly #wire: Wire;
  readonly #reader: { take(chunk: Buffer): void };
  readonly #running: Map<Id, AbortController> = new Map();

  constructor(write: (text: string) => void, handlers: Handlers, wire: Wire = languageServerWire) {
    this.#write = write;
    this.#handlers = handlers;
    this.#wire = wire;
    this.#reader = wire.read((body) => this.#received(body));
  }

  /** Handles bytes from the client; throws a FrameError if the framing is broken, after which nothing can be parsed. */
  take(chunk: Buffer): void {
    this.#reader.take(chunk);
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #received(body: Buffer): void {
    const message = parseJSON(body);
    if (message === undefined) return this.#refuse(null, errorCodes.parseError, "the message is not JSON");
    if (!isObject(message)) return this.#refuse(null, errorCodes.invalidRequest, "the message is not an object");
    const { id, method, params } = message;
    if (typeof method !== "string") return this.#withoutMethod(message);
    if (id === undefined) this.#notified(method, params);
    else if (typeof id === "number" || typeof id === "string") void this.#request(id, method, params);
    else this.#refuse(null, errorCodes.invalidRequest, `"id" is neither a number nor a string`);
  }

  /** Refuses a message without a method. Ignores responses, because the server sends no requests. */
  #withoutMethod(message: Params): void {
    if (!("result" in message || "error" in message))
      this.#refuse(null, errorCodes.invalidRequest, "the message has no method");
  }

  #notified(method: string, params: unknown): void {
    try {
      if (method === this.#wire.cancelMethod) this.#cancel(params);
      else this.#handlers.notification(method, params);
    } catch (error) {
      this.#handlers.failed(error);
    }
  }

  #cancel(params: unknown): void {
    const id = isObject(params) ? params[this.#wire.cancelledId] : undefined;
    if (typeof id === "number" || typeof id === "string") this.#running.get(id)?.abort();
  }

  async #request(id: Id, method: string, params: unknown): Promise<void> {
    const over = new AbortController();
    const answer = this.#handlers.request(method, params, over.signal);
    this.#running.set(id, over);
    try {
      const result = await Promise.race([answer, cancelled(over.signal)]);
      this.#send({ id, result: result ?? null });
    } catch (error) {
      if (error instanceof RequestError) this.#refuse(id, error.code, error.message);
      else {
        this.#handlers.failed(error);
        this.#refuse(id, errorCodes.internalError, error instanceof Error ? error.message : String(error));
      }
    } finally {
      if (this.#running.get(id) === over) this.#running.delete(id);
    }
  }

  #refuse(id: Id | null, code: number, message: string): void {
    this.#send({ id, error: { code, message } });
  }

  #send(message: object): void {
    this.#write(this.#wire.frame(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }
}

function parseJSON(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () =>
      reject(new RequestError(errorCodes.requestCancelled, "the request was cancelled")),
    );
  });
}
