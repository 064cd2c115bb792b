import { legacyNames, namedReferences } from "./named-references.ts";

/** Literal HTML text, or the literal part of an attribute value. */
export interface DecodedText {
  /** The characters that the browser reads. */
  readonly text: string;
  /** The same text, in a form in which later text cannot complete a character reference. */
  readonly html: string;
}

/**
 * Decodes the character references of a literal according to the HTML standard. Completes a reference that the end of
 * the literal cuts off: adds its semicolon, or writes the ampersand as `&amp;`.
 */
export function decodeLiteral(source: string, inAttribute: boolean): DecodedText {
  if (!source.includes("&")) return { text: source, html: source };
  let text = "";
  let html = "";
  let from = 0;
  for (const match of source.matchAll(reference)) {
    const end = match.index + match[0].length;
    const read = decode(match, source.charAt(end), inAttribute);
    const before = source.slice(from, match.index);
    text += before + read.text;
    html += before + (end < source.length && isPlain(match) ? match[0] : read.html);
    from = end;
  }
  return { text: text + source.slice(from), html: html + source.slice(from) };
}

/** Decodes a literal attribute value as browsers do. */
export function decodeReferences(source: string): string {
  return decodeLiteral(source, true).text;
}

const reference = /&(?:#[xX]([0-9a-fA-F]+)(;?)|#([0-9]+)(;?)|([a-zA-Z][a-zA-Z0-9]*)(;?)|#[xX]?)?/g;

/**
 * True for an ampersand that starts no reference in any parser. Browsers differ in `&#;`, and Chromium reads `&amp=` in
 * an attribute differently in a page and in markup that a script sets.
 */
function isPlain([source, , , , , name]: RegExpExecArray): boolean {
  return name === undefined ? source === "&" : !namedReferences().has(name) && longestLegacy(name) === "";
}

function decode(match: RegExpExecArray, next: string, inAttribute: boolean): DecodedText {
  const [source, hex, hexEnd, decimal, decimalEnd, name, nameEnd] = match;
  if (hex !== undefined) return { text: characterOf(Number.parseInt(hex, 16)), html: withEnd(source, hexEnd) };
  if (decimal !== undefined)
    return { text: characterOf(Number.parseInt(decimal, 10)), html: withEnd(source, decimalEnd) };
  if (name === undefined) return { text: source, html: `&amp;${source.slice(1)}` };
  return decodeName(name, nameEnd ?? "", inAttribute ? next : undefined);
}

function withEnd(source: string, end: string | undefined): string {
  return end === "" ? `${source};` : source;
}

/**
 * In an attribute (`next` is the following character), a name without a semicolon is decoded only if all of it matches,
 * and not before an equals sign.
 */
function decodeName(name: string, end: string, next: string | undefined): DecodedText {
  const characterOfName = namedReferences().get(name);
  if (characterOfName !== undefined && end !== "") return { text: characterOfName, html: `&${name};` };
  const legacy = next === undefined ? longestLegacy(name) : legacyNames().has(name) && next !== "=" ? name : "";
  const characters = namedReferences().get(legacy);
  const rest = name.slice(legacy.length) + end;
  if (characters === undefined) return { text: `&${name}${end}`, html: `&amp;${name}${end}` };
  return { text: characters + rest, html: `&${legacy};${rest}` };
}

function longestLegacy(name: string): string {
  for (let length = name.length; length > 1; length--) {
    if (legacyNames().has(name.slice(0, length))) return name.slice(0, length);
  }
  return "";
}

/** Maps the numbers 128 to 159 to Windows-1252, as browsers do, instead of C1 controls. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—\u02dc™š›œ\u009džŸ";

function characterOf(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return code >= 0x80 && code <= 0x9f ? windows1252.charAt(code - 0x80) : String.fromCodePoint(code);
}
