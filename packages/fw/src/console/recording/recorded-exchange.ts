import { maskForm, maskHeader } from "../../lib/mask-secrets.ts";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { RecordedBody, type BodyView } from "./recorded-body.ts";

/** The headers and bodies of a request and its response, without credentials. */
export interface ExchangeView {
  readonly id: string;
  readonly target: string;
  readonly requestHeaders: readonly Header[];
  readonly requestBody: BodyView;
  readonly responseHeaders: readonly Header[];
  readonly responseBody: BodyView;
}

type Header = readonly [name: string, value: string];

/** A request whose response has started. */
export interface BegunExchange {
  readonly target: string;
  readonly requestHeaders: readonly string[];
  /** The body so far; it may still grow. */
  readonly requestBody: RecordedBody | undefined;
  readonly responseHeaders: Readonly<RawHeaders>;
}

/** The bytes of a record besides its headers and bodies. */
const fixedBytes = 500;

const noBody: RecordedBody = new RecordedBody();

/**
 * Collects the headers and bodies of a request and its response. Masks credentials only when the console shows a
 * record, which keeps that work off the request path.
 */
export class RecordedExchange {
  readonly #target: string;
  readonly #requestHeaders: readonly string[];
  readonly #responseHeaders: Readonly<RawHeaders>;
  /** Undefined for a request without a body. */
  readonly #requestBody: RecordedBody | undefined;
  #responseBody: RecordedBody | undefined = undefined;
  #isStream = false;
  #isFinished = false;

  constructor({ target, requestHeaders, requestBody, responseHeaders }: BegunExchange) {
    this.#target = target;
    this.#requestHeaders = requestHeaders;
    this.#requestBody = requestBody;
    this.#responseHeaders = responseHeaders;
  }

  /** The id of the request; undefined if the response has none. */
  get id(): string | undefined {
    const headers = this.#responseHeaders;
    for (let i = 0; i + 1 < headers.length; i += 2)
      if (String(headers[i]).toLowerCase() === "x-request-id") return String(headers[i + 1]);
    return undefined;
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

  /** The approximate bytes in memory. */
  get bytes(): number {
    let bytes = fixedBytes + this.#target.length;
    bytes += (this.#requestBody?.recordedBytes ?? 0) + (this.#responseBody?.recordedBytes ?? 0);
    for (const text of this.#requestHeaders) bytes += 16 + text.length;
    for (const text of this.#responseHeaders) bytes += 32 + (typeof text === "string" ? text.length : 0);
    return bytes;
  }

  view(): ExchangeView {
    const requestHeaders = headerPairs(this.#requestHeaders);
    const responseHeaders = headerPairs(this.#responseHeaders);
    const [path = "", query] = this.#target.split("?", 2);
    return {
      id: this.id ?? "",
      target: query === undefined ? path : `${path}?${maskForm(query)}`,
      requestHeaders: requestHeaders.map(maskPair),
      requestBody: (this.#requestBody ?? noBody).view(byName(requestHeaders)),
      responseHeaders: responseHeaders.map(maskPair),
      responseBody: (this.#responseBody ?? noBody).view(byName(responseHeaders)),
    };
  }
}

/** Converts a list of alternating names and values to pairs. A value that is a list becomes several pairs. */
function headerPairs(headers: Readonly<RawHeaders>): Header[] {
  const pairs: Header[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const values = [headers[i + 1]].flat();
    for (const value of values) pairs.push([String(headers[i]), String(value)]);
  }
  return pairs;
}

function maskPair([name, value]: Header): Header {
  return [name, maskHeader(name, value)];
}

function byName(headers: readonly Header[]): ReadonlyMap<string, string> {
  return new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
}
