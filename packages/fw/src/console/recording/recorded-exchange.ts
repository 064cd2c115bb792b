import { maskForm, maskHeader } from "../../lib/mask-secrets.ts";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { RecordedBody, type BodyView } from "./recorded-body.ts";

/** The headers and bodies of a request and its answer, with credentials masked. */
export interface ExchangeView {
  /** The id of the request. */
  readonly id: string;
  /** The path and query. */
  readonly target: string;
  readonly requestHeaders: readonly Header[];
  readonly requestBody: BodyView;
  readonly responseHeaders: readonly Header[];
  readonly responseBody: BodyView;
}

type Header = readonly [name: string, value: string];

/** Bytes of a record beside its headers and bodies. */
const fixedBytes = 500;

/**
 * Collects the headers and bodies of a request and its response. Credentials are masked when a record is displayed, not
 * on the request path.
 */
export class RecordedExchange {
  readonly requestBody: RecordedBody = new RecordedBody();
  readonly responseBody: RecordedBody = new RecordedBody();
  readonly #target: string;
  readonly #requestHeaders: readonly string[];
  #responseHeaders: Readonly<RawHeaders> = [];

  constructor(target: string, requestHeaders: readonly string[]) {
    this.#target = target;
    this.#requestHeaders = requestHeaders;
  }

  /** The id of the request; undefined until its answer has begun. */
  get id(): string | undefined {
    const headers = this.#responseHeaders;
    for (let i = 0; i + 1 < headers.length; i += 2)
      if (String(headers[i]).toLowerCase() === "x-request-id") return String(headers[i + 1]);
    return undefined;
  }

  begin(headers: Readonly<RawHeaders>): void {
    this.#responseHeaders = headers;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    let bytes = fixedBytes + this.#target.length + this.requestBody.recordedBytes + this.responseBody.recordedBytes;
    for (const text of this.#requestHeaders) bytes += 16 + text.length;
    for (const text of this.#responseHeaders) bytes += 32 + String(text).length;
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
      requestBody: this.requestBody.view(byName(requestHeaders)),
      responseHeaders: responseHeaders.map(maskPair),
      responseBody: this.responseBody.view(byName(responseHeaders)),
    };
  }
}

/** Pairs of alternating names and values; a list of values becomes several pairs. */
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
