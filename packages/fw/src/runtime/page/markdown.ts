import type { MarkdownIt } from "markdown-it";
import { escapeHTML, isMarkup, textOf } from "../../lib/html.ts";
import type { BundledSite } from "../bundle.ts";
import { isSanitisable } from "./html-depth.ts";
import { importLibraries, requireLibraries, type MarkdownLibraries } from "./markdown-libraries.ts";
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

/** Loads the markdown libraries before their first use, for a process that would rather wait now. */
export async function loadMarkdown(): Promise<void> {
  if (engine === undefined) engine = createEngine(await importLibraries());
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
  return (engine ??= createEngine(requireLibraries()));
}

function createEngine({ createMarkdown, sanitizeHTML }: MarkdownLibraries): Engine {
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
