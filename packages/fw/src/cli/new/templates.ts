import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";
import { filesBelow } from "../../lib/read-file.ts";

/** The names of templates. Each has a directory, in addition to directories that several share. */
export const templates = ["api", "pages", "full"] as const;

/** A line about each template, for the help and for refusals. */
export const templateSummaries: Readonly<Record<Template, string>> = {
  api: "a JSON API over an entity",
  pages: "a site with a page, a form and an entity",
  full: "a site and an API, with sign-in, a role, a queue, a cron and a metric",
};

export type Template = (typeof templates)[number];

/** The values of placeholders such as `{{name}}` in a template's Markdown files. */
export type TemplateValues = Readonly<Record<"name" | "install" | "start" | "test" | "check", string>>;

/** Returns the files of a template by path, with placeholders filled in. */
export function filesOf(template: Template, words: TemplateValues): Map<string, string> {
  const files = new Map<string, string>();
  for (const dir of ["common", ...(template === "api" ? [] : ["site"]), template]) {
    const from = join(ownDirectory, "../templates", dir);
    for (const path of filesBelow(from))
      files.set(outputPath(path.slice(from.length + 1)), fillIn(readFileSync(path, "utf8"), path, words));
  }
  return files;
}

/** Restores the name of .gitignore, which npm would apply to fw's own package. */
function outputPath(path: string): string {
  return path.replace(/^_gitignore$/, ".gitignore");
}

/** Fills in Markdown pages only, because braces in a site's templates are Handlebars. */
function fillIn(text: string, path: string, words: TemplateValues): string {
  if (!path.endsWith(".md")) return text;
  return text.replaceAll(/\{\{(name|install|start|test|check)\}\}/g, (_, word: keyof TemplateValues) => words[word]);
}
