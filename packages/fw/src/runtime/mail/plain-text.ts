import { decodeReferences } from "../../lib/html-references.ts";

/** A comment, a doctype, an element whose content is no text, a tag, or text up to the next `<`. */
const tokens =
  /<!--[^]*?(?:-->|$)|<![^>]*>|<(head|title|style|script|template)\b[^]*?(?:<\/\1\s*>|$)|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|<|[^<]+/gi;

/** Elements that begin and end a line, with the line breaks around them. */
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
};

/** The title of a document; undefined if it has none. */
export function titleOf(html: string): string | undefined {
  const [, title] = /<title\b[^>]*>([^]*?)<\/title\s*>/i.exec(html) ?? [];
  return title === undefined ? undefined : decodeReferences(title);
}

/** The text of a document for mail programs that show no HTML: lines for blocks, and addresses after their links. */
export function plainText(html: string): string {
  let text = "";
  const links: { readonly href: string; readonly from: number }[] = [];
  for (const [token, , end, name, attributes = ""] of html.matchAll(tokens)) {
    if (name === undefined) {
      if (!token.startsWith("<") || token === "<") text += decodeReferences(token).replaceAll(/[\t\n\r\f ]+/g, " ");
      continue;
    }
    const tag = name.toLowerCase();
    if (tag === "a" && end === "") links.push({ href: attributeOf(attributes, "href"), from: text.length });
    else if (tag === "a") text = withAddress(text, links.pop());
    else if (tag === "img") text += attributeOf(attributes, "alt");
    else if (tag === "br") text += "\n";
    else
      text +=
        (Object.hasOwn(blocks, tag) ? blocks[tag] : "") +
        (tag === "li" && end === "" ? "- " : "") +
        (tag === "td" || tag === "th" ? " " : "");
  }
  const lines = text.split("\n").map((line) => line.replaceAll(/ {2,}/g, " ").trim());
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Adds the address of a link, unless its text is the address. */
function withAddress(text: string, link: { readonly href: string; readonly from: number } | undefined): string {
  if (link === undefined || link.href === "") return text;
  const words = text.slice(link.from).trim();
  if (words === link.href) return text;
  return words === "" ? text + link.href : `${text.trimEnd()} <${link.href}>`;
}

function attributeOf(attributes: string, name: string): string {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return decodeReferences(match?.[1] ?? match?.[2] ?? match?.[3] ?? "");
}
