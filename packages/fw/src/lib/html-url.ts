import { textOf } from "./html.ts";

/** What stands in a page where data tried to lead to a scheme that can run code. */
const blockedURL = "about:invalid#blocked";

/** Schemes a whole URL from data may have; `data:` only where it is a raster image. */
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

const rasterImage = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon);base64,[A-Za-z0-9+/=]*$/;

/** A whole URL, or the start of one: filtered by scheme, then percent-normalised. */
export function url(value: unknown): string {
  const target = trimmed(value);
  const scheme = schemeOf(target);
  const safe = scheme === undefined || safeSchemes.has(scheme) || (scheme === "data" && rasterImage.test(target));
  return safe ? normalized(target) : blockedURL;
}

/** Where a script or a base comes from: a path of this origin and nothing else. */
export function sameOriginURL(value: unknown): string {
  const target = trimmed(value);
  return schemeOf(target) === undefined && !/^[/\\]{2}/.test(target) ? normalized(target) : blockedURL;
}

/** What follows data or an unfinished scheme: it may not complete a scheme. */
export function urlMore(value: unknown): string {
  const part = textOf(value);
  return schemeOf(part) === undefined ? normalized(part) : "blocked";
}

/** What follows a lone `/`: another slash would turn the path into a host. */
export function urlAfterSlash(value: unknown): string {
  return normalized(textOf(value).replace(/^[/\\\s]+/, ""));
}

/** What follows a settled start of a URL. */
export function urlRest(value: unknown): string {
  return normalized(textOf(value));
}

/** One value of a query or a fragment, percent-encoded whole. */
export function urlQuery(value: unknown): string {
  return percentEncoded(textOf(value), unreserved, false);
}

/** Image candidates, `a.png 1x, b.png 2x`, each filtered like a URL. */
export function srcset(value: unknown): string {
  return textOf(value).split(",").map(candidate).join(", ");
}

function candidate(source: string): string {
  const [target = "", ...descriptors] = source.trim().split(/\s+/);
  const plain = descriptors.filter((descriptor) => /^[0-9.]+[xwh]$/.test(descriptor));
  return [url(target), ...plain].join(" ");
}

/** The delay of a `<meta http-equiv=refresh>`, in seconds. */
export function refreshDelay(value: unknown): string {
  const seconds = Number(textOf(value));
  return Number.isFinite(seconds) && seconds >= 0 ? String(Math.floor(seconds)) : "0";
}

/** Lower-case text before the first colon, unless a slash, question mark or hash ends the chance of a scheme. */
function schemeOf(target: string): string | undefined {
  const end = target.search(/[:/?#\\]/);
  return end >= 0 && target[end] === ":" ? target.slice(0, end).toLowerCase() : undefined;
}

/** Browsers drop spaces and controls around a URL; what is judged must be what they read. */
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

function percentEncoded(source: string, kept: Uint8Array, keepEscapes: boolean): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code < 128 && (kept[code] === 1 || (code === 37 && keepEscapes && isEscape(source, i)))) continue;
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
