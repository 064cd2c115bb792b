import MarkdownIt from "markdown-it";
import type { BundledSite } from "../bundle.ts";

const safe = new MarkdownIt({ html: false, linkify: true, maxNesting: 20 });
const trusted = new MarkdownIt({ html: true, linkify: true });

/** HTML of markdown text; sanitised unless the site trusts its authors. */
export function renderMarkdown(site: BundledSite, text: string): string {
  return (site.trustedHTML ? trusted : safe).render(text);
}
