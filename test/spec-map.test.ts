import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages/fw/src");

interface Row {
  readonly rule: string;
  readonly code: readonly string[];
  /** Undefined while the rule is open. */
  readonly tests: readonly { readonly path: string; readonly title: string }[] | undefined;
}

const page = readFileSync(join(root, "docs/spec-map.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| rule( of the analysis)? \|/.test(line))
  .map(readRow);

test("every rule of the map that is built names code and tests that exist", () => {
  const built = rows.filter((row) => row.tests !== undefined);
  const missing = built.flatMap((row) => [
    ...(row.code.length === 0 ? [`${row.rule}: no code`] : []),
    ...row.code.filter((path) => !existsSync(join(source, path))).map((path) => `${row.rule}: ${path}`),
    ...(row.tests ?? []).filter((t) => !existsSync(join(root, t.path))).map((t) => `${row.rule}: ${t.path}`),
  ]);
  expect(missing).toEqual([]);
});

test("every test of the map is a test of its file", () => {
  const missing = rows
    .flatMap((row) => row.tests ?? [])
    .filter((t) => existsSync(join(root, t.path)) && !titlesOf(t.path).has(t.title))
    .map((t) => `${t.path}: ${t.title}`);
  expect(missing).toEqual([]);
});

test("every rule of the analysis has a row that is built", () => {
  const implemented = readdirSync(join(source, "analysis/rules"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.endsWith("README.md"))
    .map((file) => `fw/${file.replace(/^.*\//, "").replace(/\.md$/, "")}`);
  const mapped = rows.filter((row) => row.rule.startsWith("fw/") && row.tests !== undefined).map((row) => row.rule);
  expect(mapped.toSorted()).toEqual(implemented.toSorted());
});

test("every limit and every sentence for visitors is named on the map", () => {
  const names = ["lib/limits.ts", "runtime/messages.ts"].flatMap((file) => exportedNames(join(source, file)));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

function readRow(line: string): Row {
  const [rule = "", code = "", tests = ""] = line
    .split(" | ")
    .map((cell) => cell.replaceAll(/^\| ?| ?\|$/g, "").trim());
  const sentence = rule.replaceAll("`", "");
  return {
    rule: sentence,
    code: [...code.matchAll(/`([\w./-]+\.(?:ts|js|md))`/g)].map((match) => match[1] ?? ""),
    tests: tests === "open" ? undefined : tests.split("; ").map((cell) => readTest(cell, sentence)),
  };
}

function readTest(cell: string, sentence: string): { path: string; title: string } {
  const match = /^`([^`]+)`(?:: (.+))?$/.exec(cell);
  return { path: match?.[1] ?? cell, title: (match?.[2] ?? sentence).replaceAll("`", "") };
}

const titles = new Map<string, ReadonlySet<string>>();

/** Titles of the tests of a file, backticks aside. */
function titlesOf(path: string): ReadonlySet<string> {
  const known = titles.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path), "utf8");
  const found = [...text.matchAll(/\b(?:test|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs)];
  const set = new Set(found.map((match) => unescape(match[2] ?? "").replaceAll("`", "")));
  titles.set(path, set);
  return set;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}

function exportedNames(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  return module.staticExports.flatMap((e) =>
    e.entries.filter((entry) => !entry.isType).map((entry) => entry.exportName.name ?? ""),
  );
}
