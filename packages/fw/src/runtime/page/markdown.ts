import { createRequire } from "node:module";
import type Markdown from "markdown-it";
import type { MarkdownIt } from "markdown-it";
import type SanitizeHTML from "sanitize-html";
import { escapeHTML, isMarkup, textOf } from "../../lib/html.ts";
import type { BundledSite } from "../bundle.ts";
import { isSanitisable } from "./html-depth.ts";
import { markdownOptions, useRules } from "./markdown-rules.ts";
import { allowed } from "./sanitize.ts";

type Trust = Pick<BundledSite, "trustedHTML">;

interface Engine {
  readonly render: (text: string) => string;
  /** Shows the HTML inside of markdown as text. */
  readonly renderWithoutHTML: (text: string) => string;
  readonly sanitize: (html: string) => string;
}

let engine: Engine | undefined;

/**
 * Loads the markdown libraries. A service that renders markdown awaits this before it listens; one that does not
 * never pays for them.
 */
export async function loadMarkdown(): Promise<void> {
  if (engine !== undefined) return;
  const [markdown, sanitizer] = await Promise.all([import("markdown-it"), import("sanitize-html")]);
  engine ??= createEngine(markdown.default, sanitizer.default);
}

/** HTML of markdown text, sanitised unless the site trusts its content. */
export function renderMarkdown(site: Trust, text: unknown): string {
  const { render, renderWithoutHTML, sanitize } = loaded();
  const source = textOf(text);
  const html = render(source);
  if (site.trustedHTML) return html;
  return sanitize(isSanitisable(html) ? html : renderWithoutHTML(source));
}

/**
 * HTML from data: as it stands where the framework made it or the site trusts its content, else sanitised. What would
 * take the sanitiser too long is shown as text.
 */
export function renderHTML(site: Trust, value: unknown): string {
  const html = textOf(value);
  if (html === "" || site.trustedHTML || isMarkup(value)) return html;
  return isSanitisable(html) ? loaded().sanitize(html) : escapeHTML(html);
}

function loaded(): Engine {
  return (engine ??= loadAtOnce());
}

/** For the first use in a process that could not know that it would render markdown. */
function loadAtOnce(): Engine {
  const require = createRequire(import.meta.url);
  return createEngine(require("markdown-it") as typeof Markdown, require("sanitize-html") as typeof SanitizeHTML);
}

function createEngine(createMarkdown: typeof Markdown, sanitizeHTML: typeof SanitizeHTML): Engine {
  const [markdown, plain] = [markdownOptions, { ...markdownOptions, html: false }].map((options) => {
    const made = createMarkdown(options);
    useRules(made);
    return made;
  }) as [MarkdownIt, MarkdownIt];
  return {
    render: (text) => markdown.render(text),
    renderWithoutHTML: (text) => plain.render(text),
    sanitize: (html) => sanitizeHTML(html, allowed),
  };
}
