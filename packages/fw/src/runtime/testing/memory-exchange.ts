import type { BodyReader, Exchange, RawHeaders } from "../exchange/exchange.ts";
import type { Handler } from "../handler.ts";

export interface MemoryRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The complete body, which is sent with its length. */
  readonly body?: string;
}

export interface MemoryAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends a request to a handler without a server, connection or HTTP. Rejects if a connection would have been cut. */
export function ask(handler: Handler, target: string, request: MemoryRequest = {}): Promise<MemoryAnswer> {
  return new Promise((resolve, reject) => handler(new MemoryExchange(target, request, resolve, reject)));
}

/** A request and its response, in memory. */
class MemoryExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly version = "1.1";
  readonly rawHeaders: readonly string[];
  readonly address = "192.0.2.1";
  readonly waitsToSend = false;
  isComplete = false;
  isOpen = true;
  status = 200;
  hasBegun = false;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #body: Buffer;
  readonly #answered: (answer: MemoryAnswer) => void;
  readonly #cut: (error: Error) => void;
  readonly #gone: Set<() => void> = new Set();
  readonly #over: Set<() => void> = new Set();
  readonly #chunks: Buffer[] = [];
  #sent: RawHeaders = [];

  constructor(
    target: string,
    { method = "GET", headers = {}, body = "" }: MemoryRequest,
    onAnswer: (answer: MemoryAnswer) => void,
    cut: (error: Error) => void,
  ) {
    this.method = method;
    this.target = target;
    this.#body = Buffer.from(body);
    this.#answered = onAnswer;
    this.#cut = cut;
    const length = body === "" ? {} : { "Content-Length": String(this.#body.byteLength) };
    this.rawHeaders = Object.entries({ Host: "x", ...headers, ...length }).flat();
    this.#headers = new Map(
      this.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [[name.toLowerCase(), all[i + 1] ?? ""] as const] : [])),
    );
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  read(reader: BodyReader): void {
    queueMicrotask(() => {
      this.isComplete = true;
      if (this.#body.byteLength > 0) reader.take(this.#body);
      reader.end(true);
    });
  }

  pause(): void {}
  resume(): void {}
  ask(): void {}
  flush(): void {}
  onDrain(): () => void {
    return () => {};
  }
  closeAfter(): void {}
  refuseRest(): void {}
  release(): void {}

  send(status: number, headers: RawHeaders, body: string | Uint8Array): void {
    this.begin(status, headers);
    this.write(body);
    this.end();
  }

  begin(status: number, headers: RawHeaders): void {
    this.hasBegun = true;
    this.status = status;
    this.#sent = headers;
  }

  write(bytes: Uint8Array | string): boolean {
    this.#chunks.push(Buffer.from(bytes));
    return true;
  }

  onceDrained(listener: () => void): void {
    listener();
  }

  end(): void {
    const pairs = this.#sent.flatMap((name, i, all) =>
      i % 2 === 0 ? [[String(name).toLowerCase(), String(all[i + 1])] as const] : [],
    );
    const body = this.method === "HEAD" ? "" : Buffer.concat(this.#chunks).toString();
    this.#answered({ status: this.status, headers: new Map(pairs), body });
    for (const listener of this.#over) listener();
  }

  cut(): void {
    this.isOpen = false;
    this.#cut(new Error("the connection was cut"));
    for (const listener of [...this.#gone, ...this.#over]) listener();
  }

  onGone(listener: () => void): void {
    this.#gone.add(listener);
  }

  offGone(listener: () => void): void {
    this.#gone.delete(listener);
  }

  onceOver(listener: () => void): () => void {
    this.#over.add(listener);
    return () => void this.#over.delete(listener);
  }
}
