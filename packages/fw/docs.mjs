import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commands } from "./dist/cli/commands/index.js";
import { version } from "./dist/cli/version.js";

/**
 * Puts the documentation into the package: its pages, the page of each rule, `llms.txt` with a line for each, and `reference.json`
 * with the same and every command as data.
 */
const from = join(import.meta.dirname, "../../docs");
const to = join(import.meta.dirname, "dist/docs");
/** About fw itself, and of no use to who uses it. */
const internal = new Set(["README.md", "spec-map.md", "dependencies.md"]);

rmSync(to, { recursive: true, force: true });
mkdirSync(join(to, "rules"), { recursive: true });

const about = new Map(
  [
    ...readFileSync(join(from, "README.md"), "utf8").matchAll(/^\| \[([\w-]+\.md)\]\([\w-]+\.md\) +\| (.+?) +\|$/gm),
  ].map(([, file, text]) => [file, plain(text)]),
);
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

/** Copies a page, with links that hold where it is now. */
function page(file, path, says) {
  const text = readFileSync(path, "utf8").replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_, label, target) =>
    link(file, label, target),
  );
  writeFileSync(join(to, file), text);
  const [title = "", ...sections] = headings(text);
  return { path: file, title, about: says, sections };
}

/** A link to another page; what is not installed is a text. */
function link(file, label, target) {
  const [path, anchor] = target.split("#");
  const name = basename(path);
  const up = file.startsWith("rules/") ? "../" : "";
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (path.includes("analysis/rules/") && name !== "README.md") return `[${label}](${up}rules/${name}${suffix})`;
  if (up !== "" && path === name) return `[${label}](${name}${suffix})`;
  return files.includes(name) && !path.includes("decisions/") ? `[${label}](${up}${name}${suffix})` : label;
}

/** Those outside of code. */
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
    "The package called fw on the npm registry is another one. An application has this one in its vendor directory; its commands are `npx --no fw <command>`.",
    "`npx --no fw check --json` says what is wrong with an application, `npx --no fw docs <page>` prints a page or a rule, and reference.json has all of this as data.",
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
      1: "it ran and the answer is no",
      2: "it could not run, or was called wrongly",
    },
    commands: commands.map(({ name, summary, details, arguments: args = [], options, examples }) => ({
      name,
      summary,
      details,
      arguments: args,
      options,
      examples,
    })),
    pages,
    rules,
  };
}
