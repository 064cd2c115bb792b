import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from "#character-references";

/** The literal text of an HTML template, or the literal part of an attribute value. */
export interface DecodedText {
  /** The characters that the browser reads. */
  readonly text: string;
  /** The same text as HTML. Text after it cannot complete a character reference. */
  readonly html: string;
}

/**
 * Decodes the character references in a literal according to the HTML standard. If the end of the literal cuts a
 * reference off, completes it: adds its semicolon, or writes the ampersand as `&amp;`.
 */
export function decodeLiteral(source: string, inAttribute: boolean): DecodedText {
  if (!source.includes("&")) return { text: source, html: source };
  const html = source.replaceAll(reference, (piece: string, body: string | undefined, end: string, at: number) => {
    const next = source.charAt(at + piece.length);
    if (body !== undefined) return complete(body, end, inAttribute, next);
    // Browsers disagree about `&#;`.
    return piece === "&" && next !== "" ? piece : `&amp;${piece.slice(1)}`;
  });
  return { text: inAttribute ? decodeHTMLAttribute(source) : decodeHTML(source), html };
}

/** Decodes a literal attribute value like browsers do. */
export function decodeReferences(source: string): string {
  return decodeHTMLAttribute(source);
}

const reference = /&(?:(#(?:[xX][0-9a-fA-F]+|[0-9]+)|[a-zA-Z][a-zA-Z0-9]*)(;?)|#[xX]?)?/g;

/**
 * Writes a reference in full, and an ampersand that could start one as `&amp;`. In an attribute, a name without a
 * semicolon is decoded only if it matches completely and no equals sign follows.
 */
function complete(body: string, end: string, inAttribute: boolean, next: string): string {
  if (body.startsWith("#") || (end !== "" && isName(body))) return `&${body};`;
  const legacy = longestLegacy(body);
  const decodable = inAttribute && (legacy !== body || next === "=") ? "" : legacy;
  if (decodable !== "") return `&${decodable};${body.slice(decodable.length)}${end}`;
  // Chromium decodes `&amp=` in an attribute differently in a page and in markup that a script sets.
  const isPlain = next !== "" && legacy === "" && !isName(body);
  return isPlain ? `&${body}${end}` : `&amp;${body}${end}`;
}

function isName(name: string): boolean {
  return decodeHTMLStrict(`&${name};`) !== `&${name};`;
}

/** Returns the longest prefix of a name that browsers accept without a semicolon; "" if there is none. */
function longestLegacy(name: string): string {
  for (let length = name.length; length > 1; length--) {
    const start = name.slice(0, length);
    if (decodeHTMLAttribute(`&${start}`) !== `&${start}`) return start;
  }
  return "";
}
