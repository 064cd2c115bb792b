import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { RecordedBody } from "./recorded-body.ts";

/** A request whose response has started. */
export interface BegunExchange {
  readonly target: string;
  readonly requestHeaders: readonly string[];
  /** The body so far; it may still grow. */
  readonly requestBody: RecordedBody | undefined;
  readonly responseHeaders: Readonly<RawHeaders>;
}

/** Collects the headers and bodies of a request and its response, until the response ends. */
export class RecordedExchange {
  readonly #target: string;
  readonly #requestHeaders: readonly string[];
  readonly #responseHeaders: Readonly<RawHeaders>;
  /** Undefined for a request without a body. */
  readonly requestBody: RecordedBody | undefined;
  #responseBody: RecordedBody | undefined = undefined;
  #isStream = false;
  #isFinished = false;

  constructor({ target, requestHeaders, requestBody, responseHeaders }: BegunExchange) {
    this.#target = target;
    this.#requestHeaders = requestHeaders;
    this.requestBody = requestBody;
    this.#responseHeaders = responseHeaders;
  }

  get responseBody(): RecordedBody | undefined {
    return this.#responseBody;
  }

  addToResponse(chunk: Uint8Array | string, encoding?: BufferEncoding): void {
    (this.#responseBody ??= new RecordedBody()).add(chunk, encoding);
  }

  /** Marks the response as written in chunks. Returns true the first time. */
  becomesStream(): boolean {
    if (this.#isStream) return false;
    return (this.#isStream = true);
  }

  /** Marks the response as complete. Returns true the first time. */
  finish(): boolean {
    if (this.#isFinished) return false;
    return (this.#isFinished = true);
  }

  /** The number of texts in `head` that belong to headers of the request. */
  get requestTexts(): number {
    return this.#requestHeaders.length;
  }

  /** The target and all names and values of headers, each on a line: Node accepts no line breaks in them. */
  get head(): string {
    let text = this.#target;
    for (const each of this.#requestHeaders) text += `\n${each}`;
    const headers = this.#responseHeaders;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const [name, value] = [headers[i], headers[i + 1]];
      if (!Array.isArray(value)) text += `\n${String(name)}\n${String(value)}`;
      else for (const each of value) text += `\n${String(name)}\n${each}`;
    }
    return text;
  }
}
