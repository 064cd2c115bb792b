import { decodeReferences } from "../../lib/html-references.ts";

/** Matches a comment, a doctype, an element whose content is not text, a tag, or text up to the next `<`. */
const tokens =
  /<!--[^]*?(?:-->|$)|<![^>]*>|<(title|style|script|template)\b[^>]*>([^]*?)(?:<\/\1\s*>|$)|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|<|[^<]+/gi;

/** Matches an attribute: its name, and its value with or without quotes. */
const attributes = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** Elements that start and end a line, with the line breaks around them. */
const blocks: Readonly<Record<string, string>> = {
  p: "\n\n",
  h1: "\n\n",
  h2: "\n\n",
  h3: "\n\n",
  h4: "\n\n",
  h5: "\n\n",
  h6: "\n\n",
  ul: "\n\n",
  ol: "\n\n",
  table: "\n\n",
  blockquote: "\n\n",
  pre: "\n\n",
  dl: "\n\n",
  figure: "\n\n",
  hr: "\n\n",
  div: "\n",
  li: "\n",
  tr: "\n",
  section: "\n",
  article: "\n",
  header: "\n",
  footer: "\n",
  main: "\n",
  address: "\n",
  dt: "\n",
  dd: "\n",
  figcaption: "\n",
  caption: "\n",
  center: "\n",
  aside: "\n",
  nav: "\n",
};

export function titleOf(html: string): string | undefined {
  for (const [, element, content = ""] of html.matchAll(tokens))
    if (element?.toLowerCase() === "title") return decodeReferences(content);
  return undefined;
}

/**
 * Converts a document to text for mail clients without HTML: blocks become lines, and each link is followed by its
 * address, unless its text is the address.
 */
export function plainText(html: string): string {
  const text = new PlainText();
  for (const [token, , , end, name, rest = ""] of html.matchAll(tokens))
    if (name !== undefined) writeTag(text, { name: name.toLowerCase(), isEnd: end !== "", attributes: rest });
    else if (!token.startsWith("<") || token === "<") text.write(decodeReferences(token));
  return text.toString();
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: string;
}

function writeTag(text: PlainText, tag: Tag): void {
  const { name, isEnd } = tag;
  if (name === "a") return isEnd ? text.endLink() : text.beginLink(attributeOf(tag, "href"));
  if (name === "img") return text.write(attributeOf(tag, "alt"));
  if (name === "br") return text.break();
  if (name === "pre" && isEnd) text.endLines();
  if (Object.hasOwn(blocks, name)) for (const _ of blocks[name] ?? "") text.break();
  if (name === "pre" && !isEnd) text.beginLines();
  if (name === "li" && !isEnd) text.write("- ");
  if (name === "td" || name === "th") text.write(" ");
}

/** Text as displayed: white space collapses to a single space, except in preformatted text. */
class PlainText {
  readonly #lines: string[] = [];
  readonly #links: { readonly href: string; words: string }[] = [];
  #line = "";
  #endsInSpace = true;
  /** The number of enclosing elements that preserve lines and spaces. */
  #keeping = 0;

  write(text: string): void {
    if (this.#keeping === 0) return this.#add(text.replaceAll(/[\t\n\r\f ]+/g, " ").slice(this.#isSpaceDropped(text)));
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      if (index > 0) this.break();
      this.#add(line);
    }
  }

  break(): void {
    this.#lines.push(this.#line.trimEnd());
    this.#line = "";
    this.#endsInSpace = true;
  }

  beginLines(): void {
    this.#keeping++;
  }

  endLines(): void {
    this.#keeping = Math.max(0, this.#keeping - 1);
  }

  beginLink(href: string): void {
    this.#links.push({ href, words: "" });
  }

  /** Adds the address of a link, unless the link's text already is the address. */
  endLink(): void {
    const { href, words } = this.#links.pop() ?? { href: "", words: "" };
    const shown = words.trim();
    if (href === "" || [href, href.replace(/^(?:mailto|tel):/i, "")].includes(shown)) return;
    if (shown !== "") this.#line = `${this.#line.trimEnd()} `;
    this.#add(shown === "" ? href : `<${href}>`);
  }

  toString(): string {
    return [...this.#lines, this.#line.trimEnd()]
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .replace(/^\n+/, "")
      .trimEnd();
  }

  #add(text: string): void {
    if (text === "") return;
    this.#line += text;
    this.#endsInSpace = text.endsWith(" ");
    const link = this.#links.at(-1);
    if (link !== undefined) link.words += text;
  }

  #isSpaceDropped(text: string): 0 | 1 {
    return this.#endsInSpace && /^[\t\n\r\f ]/.test(text) ? 1 : 0;
  }
}

/**
 * Returns the value of an attribute; "" if the tag does not have it. Ignores lookalikes inside the values of other
 * attributes.
 */
function attributeOf(tag: Tag, name: string): string {
  for (const [, each, ...values] of tag.attributes.matchAll(attributes))
    if (each?.toLowerCase() === name) return decodeReferences(values.find((value) => value !== undefined) ?? "");
  return "";
}
