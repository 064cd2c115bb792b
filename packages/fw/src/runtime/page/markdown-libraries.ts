import { createRequire } from "node:module";
import type createMarkdown from "markdown-it";
import type sanitizeHTML from "sanitize-html";

export interface MarkdownLibraries {
  readonly createMarkdown: typeof createMarkdown;
  readonly sanitizeHTML: typeof sanitizeHTML;
}

export async function importLibraries(): Promise<MarkdownLibraries> {
  const [markdown, sanitizer] = await Promise.all([import("markdown-it"), import("sanitize-html")]);
  return { createMarkdown: markdown.default, sanitizeHTML: sanitizer.default };
}

/** Loads the libraries synchronously. Builds bundle them separately and replace this module. */
export function requireLibraries(): MarkdownLibraries {
  const require = createRequire(import.meta.url);
  return {
    createMarkdown: require("markdown-it") as MarkdownLibraries["createMarkdown"],
    sanitizeHTML: require("sanitize-html") as MarkdownLibraries["sanitizeHTML"],
  };
}
