import type { MarkdownIt } from "markdown-it";
import { escapeHTML, isMarkup, textOf } from "../../lib/html.ts";
import type { BundledSite } from "../bundle.ts";
import { isSanitisable } from "./html-depth.ts";
import { importLibraries, requireLibraries, type MarkdownLibraries } from "./markdown-libraries.ts";
import { markdownOptions, useRules } from "./markdown-rules.ts";
import { sanitizeOptions } from "./sanitize.ts";

type Trust = Pick<BundledSite, "trustedHTML">;

interface Engine {
  readonly render: (text: string) => string;
  /** Renders HTML in markdown as visible text. */
  readonly renderWithoutHTML: (text: string) => string;
  readonly sanitize: (html: string) => string;
}

let engine: Engine | undefined;

/** Loads the markdown libraries before they are first used. */
export async function loadMarkdown(): Promise<void> {
  if (engine === undefined) engine = createEngine(await importLibraries());
}

/** Renders markdown as HTML, sanitized unless the site trusts its content. */
export function renderMarkdown(site: Trust, text: unknown): string {
  const { render, renderWithoutHTML, sanitize } = getEngine();
  const source = textOf(text);
  const html = render(source);
  if (site.trustedHTML) return html;
  return sanitize(isSanitisable(html) ? html : renderWithoutHTML(source));
}

/**
 * Returns HTML from data: unchanged if the framework created it or the site trusts its content, otherwise sanitized.
 * Escapes HTML that would take too long to sanitize.
 */
export function renderHTML(site: Trust, value: unknown): string {
  const html = textOf(value);
  if (html === "" || site.trustedHTML || isMarkup(value)) return html;
  return isSanitisable(html) ? getEngine().sanitize(html) : escapeHTML(html);
}

function getEngine(): Engine {
  return (engine ??= createEngine(requireLibraries()));
}

function createEngine({ createMarkdown, sanitizeHTML }: MarkdownLibraries): Engine {
  const [markdown, plain] = [markdownOptions, { ...markdownOptions, html: false }].map((options) => {
    const instance = createMarkdown(options);
    useRules(instance);
    return instance;
  }) as [MarkdownIt, MarkdownIt];
  return {
    render: (text) => markdown.render(text),
    renderWithoutHTML: (text) => plain.render(text),
    sanitize: (html) => sanitizeHTML(html, sanitizeOptions),
  };
}
