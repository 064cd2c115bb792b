import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commands } from "./dist/cli/commands/index.js";
import { version } from "./dist/cli/version.js";

/**
 * Copies the documentation into the package: the guides, a page for each rule, `llms.txt` as an index for language
 * models, and `reference.json`, which contains the index and every command as data.
 */
const from = join(import.meta.dirname, "../../docs");
const to = join(import.meta.dirname, "dist/docs");
/** Pages about developing fw itself, which are not installed. */
const internal = new Set(["README.md", "spec-map.md", "dependencies.md"]);

rmSync(to, { recursive: true, force: true });
mkdirSync(join(to, "rules"), { recursive: true });

const rows = /^\| \[([\w-]+\.md)\]\([\w-]+\.md\) +\| (.+?) +\|$/gm;
/** The sections of the index with the pages that they list. */
const groups = readFileSync(join(from, "README.md"), "utf8")
  .split(/^## /m)
  .map((section, i) => ({
    title: i === 0 ? "Start" : section.slice(0, section.indexOf("\n")),
    rows: [...section.matchAll(rows)].map(([, path, text]) => ({ path, about: plain(text) })),
  }))
  .filter((group) => group.rows.length > 0);
const about = new Map(groups.flatMap((group) => group.rows.map((row) => [row.path, row.about])));
/** Search phrases that the pages do not contain, by page. */
const searchWords = JSON.parse(readFileSync(join(from, "search-words.json"), "utf8"));
const files = readdirSync(from).filter((file) => file.endsWith(".md") && !internal.has(file));
const pages = files.map((file) => page(file, join(from, file), about.get(file) ?? ""));
const ruleFiles = readdirSync(join(import.meta.dirname, "src/analysis/rules"), { recursive: true, encoding: "utf8" });
const rules = ruleFiles
  .filter((file) => file.endsWith(".md") && !file.endsWith("README.md"))
  .toSorted((a, b) => basename(a).localeCompare(basename(b)))
  .map((file) => {
    const { title, ...rest } = page(
      `rules/${basename(file)}`,
      join(import.meta.dirname, "src/analysis/rules", file),
      "",
    );
    return { ...rest, id: `fw/${basename(file, ".md")}`, title };
  });

writeFileSync(join(to, "llms.txt"), llms());
writeFileSync(join(to, "reference.json"), `${JSON.stringify(reference(), undefined, 2)}\n`);

/** Copies a page and adapts its links to the new location. */
function page(file, path, summary) {
  const text = readFileSync(path, "utf8").replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_, label, target) =>
    link(file, label, target),
  );
  writeFileSync(join(to, file), text);
  const [title = "", ...sections] = headings(text);
  const words = searchWords[file];
  return { path: file, title, about: summary, ...(words && { words }), sections };
}

/** Returns a link to an installed page, or just the label for any other target. */
function link(file, label, target) {
  const [path, anchor] = target.split("#");
  const name = basename(path);
  const up = file.startsWith("rules/") ? "../" : "";
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (path.includes("analysis/rules/") && name !== "README.md") return `[${label}](${up}rules/${name}${suffix})`;
  if (up !== "" && path === name) return `[${label}](${name}${suffix})`;
  return files.includes(name) && !path.includes("decisions/") ? `[${label}](${up}${name}${suffix})` : label;
}

/** Returns the title of a page and its second-level headings. Ignores code blocks. */
function headings(text) {
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#{1,2} (.+)$/gm)].map(([, heading]) => plain(heading));
}

function plain(markdown) {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

function llms() {
  const lines = pages.map((each) => `- [${each.title}](${each.path})${each.about === "" ? "" : `: ${each.about}`}`);
  return [
    "# fw",
    "",
    "> A TypeScript application framework. An application declares what it is in module-level constants; fw reads them from the source, never by running it, and derives routes, decoders, services, grants and wiring.",
    "",
    "The package called fw on the npm registry is a different project. Applications contain this framework in their vendor directory; run its commands with `npx --no fw <command>`.",
    "`npx --no fw check --json` reports the problems of an application, `npx --no fw docs <page>` prints a page or a rule, and reference.json contains this index and all commands as data.",
    "",
    "## Pages",
    "",
    ...lines,
    "",
    "## Rules",
    "",
    ...rules.map(({ id, title, path }) => `- [${id}](${path}): ${title}`),
    "",
  ].join("\n");
}

function reference() {
  return {
    name: "fw",
    version: version(),
    exitCodes: {
      0: "done",
      1: "problems found, or the answer is no",
      2: "the command could not run, or its arguments are wrong",
    },
    commands: commands.map(({ name, summary, details, arguments: args = [], options, examples }) => ({
      name,
      summary,
      details,
      arguments: args,
      options,
      examples,
    })),
    groups: groups.map((group) => ({ title: group.title, pages: group.rows.map(({ path }) => path) })),
    pages,
    rules,
  };
}
