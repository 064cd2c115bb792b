import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";
import { filesBelow } from "../../lib/read-file.ts";

/** What an application can begin as: a directory each, beside those that several share. */
export const templates = ["api", "pages", "full"] as const;

export type Template = (typeof templates)[number];

/** What stands for `{{name}}` and its like in a template's pages. */
export type Words = Readonly<Record<"name" | "install" | "start" | "test" | "check", string>>;

/** The files of an application by path, as they are to be written. */
export function filesOf(template: Template, words: Words): Map<string, string> {
  const files = new Map<string, string>();
  for (const dir of ["common", ...(template === "api" ? [] : ["site"]), template]) {
    const from = join(ownDirectory, "../templates", dir);
    for (const path of filesBelow(from))
      files.set(written(path.slice(from.length + 1)), filled(readFileSync(path, "utf8"), path, words));
  }
  return files;
}

/** A package has no .gitignore of its own: packing takes it for one of the package's. */
function written(path: string): string {
  return path.replace(/^_gitignore$/, ".gitignore");
}

/** Only the pages about the application have words to fill in: in a site's templates braces are its own. */
function filled(text: string, path: string, words: Words): string {
  if (!path.endsWith(".md")) return text;
  return text.replaceAll(/\{\{(name|install|start|test|check)\}\}/g, (_, word: keyof Words) => words[word]);
}
