import type { Readable, Writable } from "node:stream";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const headerEnd = "\r\n\r\n";

/**
 * JSON-RPC over the pipes of a server. The library's own transport sends one question in a turn of the event loop; here
 * all that are asked in one go together.
 */
export class Transport {
  readonly #input: Writable;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #unsent = "";
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that the next message takes, as far as that is known. */
  #wanted = 0;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    output.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  /** Rejects what the server refuses. A server that ends answers nothing more. */
  ask(method: string, params: unknown): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    if (this.#unsent === "") queueMicrotask(() => this.#send());
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    this.#unsent += `Content-Length: ${Buffer.byteLength(body)}${headerEnd}${body}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #send(): void {
    if (this.#input.writable) this.#input.write(this.#unsent);
    this.#unsent = "";
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return;
    const bytes = Buffer.concat(this.#chunks);
    const rest = bytes.subarray(this.#read(bytes));
    this.#chunks = [rest];
    this.#size = rest.length;
  }

  /** Takes the whole messages, and answers where they end. */
  #read(bytes: Buffer): number {
    let at = 0;
    this.#wanted = 0;
    for (;;) {
      const head = bytes.indexOf(headerEnd, at);
      if (head === -1) return at;
      const start = head + headerEnd.length;
      const length = Number(/Content-Length: (\d+)/i.exec(bytes.toString("latin1", at, head))?.[1]);
      if (start + length > bytes.length) {
        this.#wanted = start + length - at;
        return at;
      }
      this.#settle(JSON.parse(bytes.toString("utf8", start, start + length)) as Reply);
      at = start + length;
    }
  }

  #settle({ id, result, error }: Reply): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}
