import { maskForm, maskHeader } from "../../lib/mask-secrets.ts";
import { bodyView, type BodyView, type StoredBody } from "./recorded-body.ts";

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

export interface StoredExchange {
  /** The target, then the names and values of the request's headers, then of the response's headers. */
  readonly texts: readonly string[];
  /** The number of texts that belong to headers of the request. */
  readonly requestTexts: number;
  readonly requestBody: StoredBody;
  readonly responseBody: StoredBody;
}

/** Returns the view of a stored exchange. Masks credentials only here, which keeps that work off the request path. */
export function exchangeView({ texts, requestTexts, requestBody, responseBody }: StoredExchange): ExchangeView {
  const [target = "", ...headers] = texts;
  const [path = "", query] = target.split("?", 2);
  const requestHeaders = headerPairs(headers.slice(0, requestTexts));
  const responseHeaders = headerPairs(headers.slice(requestTexts));
  const responseValues = byName(responseHeaders);
  return {
    id: responseValues.get("x-request-id") ?? "",
    target: query === undefined ? path : `${path}?${maskForm(query)}`,
    requestHeaders: requestHeaders.map(maskPair),
    requestBody: bodyView(requestBody, byName(requestHeaders)),
    responseHeaders: responseHeaders.map(maskPair),
    responseBody: bodyView(responseBody, responseValues),
  };
}

function headerPairs(texts: readonly string[]): readonly Header[] {
  return Array.from({ length: texts.length / 2 }, (_, i) => [texts[2 * i] ?? "", texts[2 * i + 1] ?? ""] as const);
}

function maskPair([name, value]: Header): Header {
  return [name, maskHeader(name, value)];
}

function byName(headers: readonly Header[]): ReadonlyMap<string, string> {
  return new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
}
