import { textOf } from "./html.ts";
import { urlPlace, type URLPlace } from "./url-place.ts";

/** The URL that replaces URLs from data whose scheme can run code. */
const blockedURL = "about:invalid#blocked";

/** The schemes allowed in a complete URL from data, apart from `data:` URLs of raster images. */
const safeSchemes: ReadonlySet<string> = new Set([
  "http",
  "https",
  "mailto",
  "tel",
  "sms",
  "geo",
  "ftp",
  "xmpp",
  "webcal",
]);

/** Matches paths on this origin that need no escaping, as in most links. */
const plainPath = /^\/(?!\/)[A-Za-z0-9\-._~!#$&*+,/:;=?@[\]]*$/;

const rasterImage = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon);base64,[A-Za-z0-9+/=]*$/;

/** Escapes a complete URL or the start of one: filters the scheme, then normalizes percent-encoding. */
function url(value: unknown): string {
  if (typeof value === "string" && plainPath.test(value)) return value;
  const target = trimmed(value);
  const scheme = schemeOf(target);
  const safe = scheme === undefined || safeSchemes.has(scheme) || (scheme === "data" && rasterImage.test(target));
  // After a scheme without a host, the browser would interpret the following text as the host.
  return safe && urlPlace(target) !== "noHost" ? normalized(target) : blockedURL;
}

/** Escapes the URL of a resource with the page's privileges, such as a script. It may not contain a scheme or host. */
function sameOriginURL(value: unknown): string {
  const target = trimmed(value);
  return schemeOf(target) === undefined && !/^[/\\]{2}/.test(target) ? normalized(target) : blockedURL;
}

/** Escapes a value that follows the literal start of a URL. */
export function urlRest(value: unknown): string {
  return normalized(textOf(value));
}

/**
 * Escapes a value after the literal start of a URL that loads code, such as a script's. Blocks segments `.` and `..`,
 * which could leave the literal's directory.
 */
export function urlInside(value: unknown): string {
  const text = textOf(value);
  return text.split(/[/\\]/).some((step) => dots.test(step.replace(/[\t\n\r]/g, ""))) ? "blocked" : normalized(text);
}

/** Matches the path segments `.` and `..`, even escaped. A single dot may be the first half of two. */
const dots = /^(?:\.|%2e){1,2}(?:$|[?#])/i;

/** Percent-encodes a value in a query or a fragment. */
export function urlQuery(value: unknown): string {
  return percentEncoded(textOf(value), unreserved, false);
}

/** Escapes the width or density that follows the URL of an image candidate; returns "" for anything else. */
export function descriptor(value: unknown): string {
  const text = textOf(value).trim();
  return /^[0-9.]+[wxh]?$/.test(text) ? text : "";
}

/** Escapes commas in a URL of a list, where a comma would end the URL. */
export function withoutCommas(value: unknown): string {
  return textOf(value).replaceAll(",", "%2C");
}

/** Escapes semicolons in an animation value, where they would start the next value. */
export function withoutSemicolons(value: unknown): string {
  return textOf(value).replaceAll(";", "%3B");
}

/** Filters each URL in a list of image candidates, such as `a.png 1x, b.png 2x`. */
function candidates(value: unknown): string[] {
  return textOf(value).split(",").map(candidate);
}

function candidate(source: string): string {
  const [target = "", ...descriptors] = source.trim().split(/\s+/);
  return [url(target), ...descriptors.map(descriptor).filter((text) => text !== "")].join(" ");
}

/**
 * A URL composed of literals and values. Only a value at the very start may choose the scheme or host. After a single
 * slash, no literal may become a host, even with empty values in between.
 */
export class UnfinishedURL {
  #text = "";
  /** False if the surrounding form submits to another origin. */
  #ownAction = true;

  /** Starts a URL with a literal of the template. */
  begin(literal: string): this {
    this.#text = literal;
    return this;
  }

  /** Like `begin`, for the action of a form. */
  beginAction(literal: string): this {
    this.#ownAction = true;
    return this.begin(literal);
  }

  /** Escapes the first value in the action of a form, and records whether the form submits to this origin. */
  action(value: unknown): string {
    const whole = url(value);
    this.#ownAction = schemeOf(whole) === undefined && !/^[/\\]{2}/.test(whole);
    return this.#add(whole);
  }

  /** Returns a form token, or "" if the form submits to another origin. */
  token(text: string): string {
    return this.#ownAction ? text : "";
  }

  /** Escapes the first value in the URL. */
  whole(value: unknown): string {
    return this.#add(url(value));
  }

  /** Escapes the first value in a URL that must stay on this origin, such as a script's. */
  ownOrigin(value: unknown): string {
    return this.#add(sameOriginURL(value));
  }

  /** Escapes a value at the start of a candidate in a list of images. */
  images(value: unknown): string {
    const all = candidates(value);
    this.#text = all.at(-1) ?? "";
    return all.join(", ");
  }

  /** Escapes a value at the start of an entry in a list of animation values. */
  animated(value: unknown): string {
    const all = textOf(value).split(";").map(url);
    this.#text = all.at(-1) ?? "";
    return all.join(";");
  }

  /** Escapes a value in a URL that loads code. Blocks segments `.` and `..`, like `urlInside`. */
  inside(value: unknown): string {
    return this.more(urlInside(value));
  }

  /** Escapes a value after the start of the URL. */
  more(value: unknown): string {
    return this.#add(continuation(urlPlace(this.#text), textOf(value)));
  }

  /** Records a literal that precedes the first value. */
  note(literal: string): "" {
    this.#text += literal;
    return "";
  }

  /** Appends a literal to the URL and returns the separator to write before it. */
  joint(literal: string): string {
    const between = jointBefore(urlPlace(this.#text), literal);
    this.#text += between + literal;
    return between;
  }

  #add(text: string): string {
    this.#text += text;
    return text;
  }
}

/** A host that no URL can have. */
const noHost = "%";

function continuation(place: URLPlace, value: string): string {
  switch (place) {
    case "start":
      return schemeOf(value) === undefined ? normalized(value.replace(/^[/\\\s]*[/\\]/, "/")) : "blocked";
    case "scheme":
      return schemeOf(value) === undefined ? normalized(value) : "blocked";
    case "slash":
      return normalized(value.replace(/^[/\\\s]+/, ""));
    case "noHost":
      return noHost;
    case "host":
      return value === "" || /^[/?#]/.test(value) ? normalized(value) : `/${normalized(value)}`;
    case "unsafe":
      return "";
    default:
      return normalized(value);
  }
}

function jointBefore(place: URLPlace, literal: string): string {
  if (place === "slash") return /^[\t\n\r]*[/\\]/.test(literal) ? "." : "";
  return place === "host" && !/^[\t\n\r]*(?:$|[/\\?#])/.test(literal) ? "/" : "";
}

/** Escapes the delay in `<meta http-equiv=refresh>`, in seconds. */
export function refreshDelay(value: unknown): string {
  const seconds = Number(textOf(value));
  return Number.isFinite(seconds) && seconds >= 0 ? String(Math.floor(seconds)) : "0";
}

/** Returns a URL's scheme in lower case; undefined if no colon precedes the first `/`, `\`, `?` or `#`. */
function schemeOf(target: string): string | undefined {
  const end = target.search(/[:/?#\\]/);
  return end >= 0 && target[end] === ":" ? target.slice(0, end).toLowerCase() : undefined;
}

/** Strips spaces and control characters around a URL, as browsers do. */
function trimmed(value: unknown): string {
  const source = textOf(value);
  let start = 0;
  let end = source.length;
  while (start < end && source.charCodeAt(start) <= 32) start++;
  while (end > start && source.charCodeAt(end - 1) <= 32) end--;
  return source.slice(start, end);
}

const unreserved = asciiSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
const keptInURL = asciiSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!#$&*+,/:;=?@[]");

function asciiSet(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (let i = 0; i < characters.length; i++) set[characters.charCodeAt(i)] = 1;
  return set;
}

const normal = /^[A-Za-z0-9\-._~!#$&*+,/:;=?@[\]]*$/;

function normalized(source: string): string {
  return normal.test(source) ? source : percentEncoded(source, keptInURL, true);
}

function percentEncoded(source: string, keptBytes: Uint8Array, keepEscapes: boolean): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code < 128 && (keptBytes[code] === 1 || (code === 37 && keepEscapes && isEscape(source, i)))) continue;
    const length = isPair(source, i) ? 2 : 1;
    out += source.slice(from, i) + encodedCharacter(source.slice(i, i + length));
    i += length - 1;
    from = i + 1;
  }
  return from === 0 ? source : out + source.slice(from);
}

function isEscape(source: string, at: number): boolean {
  return /^[0-9A-Fa-f]{2}$/.test(source.slice(at + 1, at + 3));
}

function isPair(source: string, at: number): boolean {
  return (source.charCodeAt(at) & 0xfc00) === 0xd800 && (source.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

function encodedCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 128) return `%${code < 16 ? "0" : ""}${code.toString(16).toUpperCase()}`;
  return character.length === 1 && (code & 0xf800) === 0xd800 ? "%EF%BF%BD" : encodeURIComponent(character);
}
