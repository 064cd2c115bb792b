import { masked } from "../../../lib/mask-secrets.ts";

/** The longest part of a path, or name of a query parameter, that counts as a word rather than a value. */
const wordCharacters = 24;

/**
 * A part of a path that is the same for all requests of its kind, such as `customers`, `v1`, `sendMessage` or
 * `chat.completions`. Capital letters in other places are those of a token.
 */
const pathWord =
  /^(?:v\d+(?:(?:alpha|beta)\d*)?|oauth2|s3|[._]?[a-z]+(?:[._-][a-z]+)*|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+)+)$/;

/** The characters of a path, and the parameters of a query, that a step keeps. */
const pathCharacters = 1_000;
const parameterCount = 30;

const parameterWord = /^(?:[\w.[\]-]|%5[BD])+$/i;

/** The replacement for values in attributes, as OpenTelemetry's conventions have it. */
const redacted = "REDACTED";

/** The address of an outgoing request. */
export interface OutgoingTarget {
  readonly scheme: string;
  /** The host name, with the port unless it is the scheme's. */
  readonly host: string;
  /** The path with `{}` in place of parts that look like values. */
  readonly template: string;
  /** The path itself, with masked values in its query. Only for the application's developer. */
  readonly path: string;
  /** The URL without any values. */
  readonly url: string;
}

/**
 * Describes the address of a request. `target` is a path with its query or, for a proxy, a whole URL; its user and
 * password are left out.
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

/** Values in paths are ids, addresses and tokens: they have digits, other characters than words, or many characters. */
function isPathWord(part: string): boolean {
  return part === "" || (part.length <= wordCharacters && pathWord.test(part));
}

/** Replaces the values in a query, and parameters that have no name. Drops the parameters after the first 30. */
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
