import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { limitValues as limits } from "../packages/fw/src/lib/testing/documented-limits.ts";
import { messages } from "../packages/fw/src/runtime/error-messages.ts";
import { titlesIn } from "./support/titles.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages/fw/src");

/** The content of a row's first cell. */
type Kind = "rule" | "rule of the analysis" | "number" | "sentence";

interface Row {
  readonly kind: Kind;
  /** The first cell, without backticks. */
  readonly name: string;
  readonly code: string;
  /** Undefined if the rule has no proof yet. */
  readonly tests: readonly { readonly path: string; readonly title: string | undefined }[] | undefined;
}

const rows = readRows(readFileSync(join(root, "docs/spec-map.md"), "utf8"));
const built = rows.filter((row) => row.tests !== undefined);

function namesOf(kind: Kind, among: readonly Row[] = rows): string[] {
  return among
    .filter((row) => row.kind === kind)
    .map(({ name }) => name)
    .toSorted();
}

test("every rule that is built names its code, and every rule that is open names none", () => {
  const rules = rows.filter(({ kind }) => kind === "rule" || kind === "rule of the analysis");
  const wrong = rules.filter((row) => (row.code === "") !== (row.tests === undefined));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("every path of the map exists", () => {
  const missing = built.flatMap(({ name, code, tests }) => [
    ...pathsIn(code)
      .filter((path) => !existsSync(join(source, path)))
      .map((path) => `${name}: ${path}`),
    ...(tests ?? []).filter(({ path }) => !existsSync(join(root, path))).map(({ path }) => `${name}: ${path}`),
  ]);
  expect(missing).toEqual([]);
});

test("every test of the map is a test of its file", () => {
  const missing = built.flatMap((row) => {
    const sentence = row.kind === "rule" ? row.name : undefined;
    return (row.tests ?? [])
      .filter(({ path }) => existsSync(join(root, path)))
      .map(({ path, title = sentence }) => ({ path, title }))
      .filter(({ path, title }) => title === undefined || !titlesOf(path).has(title))
      .map(({ path, title }) => `${row.name}: ${path}: ${title}`);
  });
  expect(missing).toEqual([]);
});

test("every sentence of the specification has a row, and none of them is open", () => {
  const sentences = readFileSync(join(root, "test/spec-sentences.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("## "));
  expect(new Set(sentences).size).toBe(sentences.length);
  const byName = new Map(rows.filter(({ kind }) => kind === "rule").map((row) => [row.name, row]));
  expect(sentences.filter((sentence) => !byName.has(bare(sentence)))).toEqual([]);
  // Change both numbers by hand, so that no sentence or proof disappears unnoticed.
  expect(sentences).toHaveLength(368);
  expect(sentences.filter((sentence) => byName.get(bare(sentence))?.tests === undefined)).toEqual([]);
  const named = new Set(sentences.map(bare));
  expect(rows.filter(({ name, tests }) => tests === undefined && !named.has(name))).toEqual([]);
});

test("every rule of the analysis has a row that is built, and no other has", () => {
  const implemented = readdirSync(join(source, "analysis/rules"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.endsWith("README.md"))
    .map((file) => `fw/${file.replace(/^.*\//, "").replace(/\.md$/, "")}`);
  expect(namesOf("rule of the analysis", built)).toEqual(implemented.toSorted());
});

test("every number of the code has a row", () => {
  expect(namesOf("number")).toEqual(Object.keys(limits).toSorted());
});

test("every sentence that a visitor can see has a row", () => {
  const names = Object.keys(messages).map((key) => `messages.${key}`);
  expect(namesOf("sentence")).toEqual(names.toSorted());
});

test("the sentences that the specification shows are said word for word, and the map says so of no other", () => {
  const cells = {
    notFound: [messages.notFound, "not found"],
    signIn: [messages.signIn, "sign in to continue"],
    needsRole: [messages.needsRole(["<role>"]), "this page needs the <role> role"],
    csrf: [messages.csrf, "CSRF token missing or invalid — forms need {{ csrf }}"],
    invalidJSON: [messages.invalidJSON, "body: invalid JSON"],
    isNot: [messages.isNot("query <name>", "<value>", "<type>"), "query <name>: <value> is not a <type>"],
    wrongPassword: [messages.wrongPassword, "that email and password do not match an account"],
    idToken: [messages.idToken("<why>"), "the ID token did not verify: <why>"],
    provider: [
      messages.provider("<provider>", "<declared providers>"),
      "this token was minted by <provider>, and this app declares <declared providers> — the auth configuration decides which doors exist",
    ],
  };
  for (const [said, text] of Object.values(cells)) expect(said).toBe(text);
  const verbatimRows = rows.filter(({ kind, code }) => kind === "sentence" && code.startsWith("word for word: "));
  expect(verbatimRows.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(cells)
      .map((key) => `messages.${key}`)
      .toSorted(),
  );
});

test("every sentence that a visitor can see is used", () => {
  const code = sourceFiles()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  expect(Object.keys(messages).filter((key) => !new RegExp(`\\bmessages\\.${key}\\b`).test(code))).toEqual([]);
});

test("no rule is on the map twice", () => {
  const seen = new Set<string>();
  expect(rows.filter(({ name }) => seen.size === seen.add(name).size).map(({ name }) => name)).toEqual([]);
});

function readRows(page: string): Row[] {
  const parsedRows: Row[] = [];
  let kind: Kind | undefined;
  for (const line of page.split("\n")) {
    const [first = "", second = "", third = ""] = cellsOf(line);
    if (!line.startsWith("|")) kind = undefined;
    else if (kind === undefined) kind = first as Kind;
    else if (!first.startsWith("---")) parsedRows.push(readRow(kind, first, second, third));
  }
  return parsedRows;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\| ?/, "")
    .replace(/ ?\|$/, "")
    .split(/ ?\| /)
    .map((cell) => cell.trim());
}

function readRow(kind: Kind, first: string, code: string, tests: string): Row {
  return {
    kind,
    name: bare(first),
    code,
    tests: tests === "open" ? undefined : tests.split(/; (?=`)/).map(readTest),
  };
}

function readTest(cell: string): { path: string; title: string | undefined } {
  const [, path = cell, title] = /^`([^`]+)`(?:: (.+))?$/.exec(cell) ?? [];
  return { path, title: title === undefined ? undefined : bare(title) };
}

function bare(text: string): string {
  return text.replaceAll("`", "");
}

function pathsIn(cell: string): string[] {
  return [...cell.matchAll(/`([\w./-]+\.(?:ts|js|md))`/g)].map((match) => match[1] ?? "");
}

const titles = new Map<string, ReadonlySet<string>>();

function titlesOf(path: string): ReadonlySet<string> {
  const known = titles.get(path) ?? new Set([...titlesIn(join(root, path))].map(bare));
  titles.set(path, known);
  return known;
}

function sourceFiles(): string[] {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => join(source, file));
}
