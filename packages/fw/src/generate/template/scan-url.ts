import { urlPlace } from "../../lib/url-place.ts";
import type { Context, URLPart } from "./context.ts";
import { TemplateError } from "./template-error.ts";

export type URLState = Pick<Context, "url" | "head" | "tracked">;

export const urlStart: URLState = { url: "start", head: "", tracked: false };

export function scanURL(text: string, from: URLState): URLState {
  switch (from.url) {
    case "start":
      return afterLiteral(from.head + text, from.tracked);
    case "dynamic":
      return afterData(text, from);
    case "rest":
    case "path":
    case "mixed":
      return /[?#]/.test(text) ? inQuery : from;
    default:
      return from;
  }
}

const inQuery: URLState = { url: "query", head: "", tracked: false };

const settledParts: Readonly<Record<string, URLPart>> = { path: "path", query: "query", unsafe: "unsafe" };

function afterLiteral(head: string, tracked: boolean): URLState {
  const url = settledParts[urlPlace(head)];
  if (url === undefined) return { url: "start", head, tracked };
  return url === "path" ? { url, head: "", tracked } : { ...inQuery, url };
}

/**
 * Follows literal text after a value that may still choose a scheme. Refuses a colon before the first slash, question
 * mark or hash, which would complete the scheme.
 */
function afterData(text: string, from: URLState): URLState {
  const [end = ""] = /[:/\\?#&=]/.exec(text) ?? [];
  if (end === ":") {
    throw new TemplateError(
      "this colon would let a value choose the URL's scheme",
      "write the scheme and the host in the template, or pass the whole URL",
    );
  }
  if (/[?#&=]/.test(end) || /[?#]/.test(text)) return inQuery;
  return end === "" ? from : { ...from, url: "rest" };
}

/** Follows the content of a `<meta http-equiv=refresh>`: a delay, then a URL. */
export function scanRefresh(text: string, from: URLState): URLState {
  if (from.url !== "delay") return scanURL(text, from);
  const url = /[;,]\s*(?:url\s*=\s*)?['"]?/i.exec(text);
  return url === null ? from : scanURL(text.slice(url.index + url[0].length), urlStart);
}

/** Follows image candidates: URLs, each with a descriptor after a space, separated by commas. */
export function scanImages(text: string, from: URLState): URLState {
  let state = from;
  let before = "";
  for (const [piece] of text.matchAll(/\s+|,+|[^\s,]+/g)) {
    state = scanImagePiece(piece, before, state);
    before = piece;
  }
  return state;
}

function scanImagePiece(piece: string, before: string, state: URLState): URLState {
  if (state.url === "descriptor") return piece.startsWith(",") ? urlStart : state;
  if (!/^\s/.test(piece)) return scanURL(piece, state);
  if (state.url === "start" && state.head === "") return state;
  // A comma at the end of a URL ends it; elsewhere it belongs to the URL.
  return before.startsWith(",") ? urlStart : { ...urlStart, url: "descriptor" };
}

/** Follows URLs separated by spaces. */
export function scanURLs(text: string, from: URLState): URLState {
  let state = from;
  for (const [piece] of text.matchAll(/\s+|\S+/g)) state = /^\s/.test(piece) ? urlStart : scanURL(piece, state);
  return state;
}

/** Follows the values of an animation, separated by semicolons. */
export function scanAnimation(text: string, from: URLState): URLState {
  let state = from;
  for (const [piece] of text.matchAll(/;|[^;]+/g)) state = piece === ";" ? urlStart : scanURL(piece, state);
  return state;
}

/** Returns the state after a value from data. After the first value, the page may track the URL at run time. */
export function afterURLValue(state: URLState): URLState {
  if (state.url !== "start") return state;
  return { url: mayHaveScheme(state.head) ? "dynamic" : "rest", head: "", tracked: true };
}

function mayHaveScheme(head: string): boolean {
  const place = urlPlace(head);
  return place === "start" || place === "scheme";
}
