import { masked } from "../../../lib/mask-secrets.ts";

/** The maximum length of a path segment or parameter name that counts as a word instead of a value. */
const wordCharacters = 24;

/**
 * Matches a path segment that is a word, such as `customers`, `v1`, `sendMessage` or `chat.completions`. Other uses of
 * capital letters suggest a token.
 */
const pathWord =
  /^(?:v\d+(?:(?:alpha|beta)\d*)?|oauth2|s3|[._]?[a-z]+(?:[._-][a-z]+)*|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+)+)$/;

/** The maximum numbers of path characters and query parameters that a span contains. */
const pathCharacters = 1_000;
const parameterCount = 30;

const parameterWord = /^(?:[\w.[\]-]|%5[BD])+$/i;

/** The replacement for values in attributes, following OpenTelemetry's conventions. */
const redacted = "REDACTED";

/** The address of an outgoing request. */
export interface OutgoingTarget {
  readonly scheme: string;
  /** The host name, with the port unless it is the scheme's default. */
  readonly host: string;
  /** The path with `{}` in place of parts that look like values. */
  readonly template: string;
  /** The path itself, with masked values in its query. Only for the application's developer. */
  readonly path: string;
  /** The URL with its values redacted. */
  readonly url: string;
}

/**
 * Describes the address of a request, without a user and password. `target` is a path with its query or, for a proxy, a
 * whole URL.
 */
export function outgoingTarget(origin: string, target: string): OutgoingTarget {
  // Relative to the origin, a path that begins with two slashes would name another host.
  const url = target.startsWith("/") ? new URL(new URL(origin).origin + target) : new URL(target, origin);
  const { protocol, host, pathname, search } = url;
  const scheme = protocol.slice(0, -1);
  const isLong = pathname.length > pathCharacters;
  const parts = isLong ? [...pathname.slice(0, pathCharacters).split("/").slice(0, -1), "…"] : pathname.split("/");
  const pathWith = (mask: string): string => parts.map((part) => (isPathWord(part) ? part : mask)).join("/");
  return {
    scheme,
    host,
    template: pathWith("{}"),
    path: parts.join("/") + maskQuery(search, masked),
    url: `${scheme}://${host}${pathWith(redacted)}${maskQuery(search, redacted)}`,
  };
}

/**
 * True for a path segment that looks like a word. Values are ids, addresses and tokens, which are long or contain
 * digits or other characters.
 */
function isPathWord(part: string): boolean {
  return part === "" || (part.length <= wordCharacters && pathWord.test(part));
}

/**
 * Masks the values in a query, and whole parameters whose name does not look like a word. Drops the parameters after
 * the first 30.
 */
function maskQuery(search: string, mask: string): string {
  if (search === "") return "";
  const pairs = search.slice(1).split("&", parameterCount);
  return `?${pairs.map((pair) => maskPair(pair, mask)).join("&")}`;
}

function maskPair(pair: string, mask: string): string {
  const end = pair.indexOf("=");
  const name = pair.slice(0, end);
  return end > 0 && name.length <= wordCharacters && parameterWord.test(name) ? `${name}=${mask}` : mask;
}
