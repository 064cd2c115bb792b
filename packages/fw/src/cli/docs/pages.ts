import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";
import { nearest } from "../../lib/suggest.ts";
import { Refusal } from "../command.ts";

interface Page {
  readonly path: string;
  readonly title: string;
}

/** Where the documentation is once fw was built. */
const directory = join(ownDirectory, "../dist/docs");

/** What there is: for a person `llms.txt`, for a program `reference.json`. */
export function contents(json: true | undefined): string {
  return read(json ? "reference.json" : "llms.txt");
}

/** A page by its file's name, or a rule by its id, with or without `fw/` and `.md`. */
export function pageNamed(given: string): Page & { readonly text: string } {
  const { pages, rules } = JSON.parse(contents(true)) as {
    readonly pages: readonly Page[];
    readonly rules: readonly Page[];
  };
  const name = given.replace(/^fw\//, "").replace(/\.md$/, "");
  const all = [...pages, ...rules];
  const found = all.find((page) => nameOf(page) === name);
  if (found === undefined) {
    const meant = nearest(name, all.map(nameOf));
    const suggestion = meant === undefined ? `"fw docs" lists them` : `did you mean "fw docs ${meant}"?`;
    throw new Refusal(`there is no page "${given}"; ${suggestion}`);
  }
  return { path: found.path, title: found.title, text: read(found.path) };
}

function nameOf({ path }: Page): string {
  return path.replace(/^rules\//, "").replace(/\.md$/, "");
}

function read(file: string): string {
  return readFileSync(join(directory, file), "utf8");
}
