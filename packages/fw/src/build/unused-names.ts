import { parseSync } from "rolldown/utils";
import { closure } from "../lib/closure.ts";
import { edited, type Edit } from "../lib/edits.ts";

/** A range of a chunk's text. */
type TextRange = Pick<Edit, "start" | "end">;

/**
 * Drops functions of a chunk that are used only by the call that sets their name. The bundler renames functions that
 * share a name, and then counts that call as a use. Keeps line numbers.
 *
 * Finds statements by the bundler's layout, because building a syntax tree takes ten times as long as a parse. A parse
 * confirms every removal.
 */
export function withoutUnusedNames(code: string): string {
  if (!code.includes("__name(")) return code;
  const functions = topFunctionsIn(code);
  const namings = namingsIn(code);
  const others = replaceRanges(code, [...functions.values(), ...[...namings.values()].flat()], () => "\n");
  const usedNames = closure(namesIn(others), (name) => {
    const declared = functions.get(name);
    return declared === undefined ? [] : namesIn(code.slice(declared.start, declared.end));
  });
  const unused = [...functions].filter(([name]) => !usedNames.has(name));
  if (unused.length === 0) return code;
  const unusedRanges = unused.map(([, range]) => range);
  const dropped = [...unusedRanges, ...unused.flatMap(([name]) => namings.get(name) ?? [])];
  if (!areFunctions(code, unusedRanges) || !areStatements(code, dropped)) return code;
  return replaceRanges(code, dropped, ({ start, end }) => code.slice(start, end).replace(/[^\n]/g, ""));
}

/** Finds the functions that start at the beginning of a line, by name. */
function topFunctionsIn(code: string): ReadonlyMap<string, TextRange> {
  const functions = new Map<string, TextRange>();
  const firstLine = /^(?:async )?function\*? ?([^\s(]+)\(.*$/gm;
  for (let match = firstLine.exec(code); match !== null; match = firstLine.exec(code)) {
    const [line, name = ""] = match;
    const start = match.index;
    const lastLine = line.endsWith("}") ? start + line.length - 2 : code.indexOf("\n}\n", start);
    if (lastLine < 0) break;
    const end = lastLine + 2;
    if (!functions.has(name)) functions.set(name, { start, end });
    firstLine.lastIndex = end;
  }
  return functions;
}

/** Finds the lines that only set the name of a function, such as `__name(pathOf$1, "pathOf");`, by function. */
function namingsIn(code: string): ReadonlyMap<string, readonly TextRange[]> {
  const namings = new Map<string, TextRange[]>();
  for (const { 0: line, 1: name = "", index } of code.matchAll(/^__name\(([^\s,()]+), "[^"\n]*"\);$/gm))
    namings.set(name, [...(namings.get(name) ?? []), { start: index, end: index + line.length }]);
  return namings;
}

/** True if each range is one complete function, which the parser accepts in parentheses. */
function areFunctions(code: string, ranges: readonly TextRange[]): boolean {
  const text = ranges.map(({ start, end }, index) => `(${code.slice(start, end)}\n);\n${separator(index)}\n`).join("");
  return hasSeparators(text, ranges.length);
}

/** True if each range consists of top-level statements and is not text in a template. */
function areStatements(code: string, ranges: readonly TextRange[]): boolean {
  let count = 0;
  return hasSeparators(
    replaceRanges(code, ranges, () => separator(count++)),
    ranges.length,
  );
}

/** Returns a statement that the parser accepts at the top level only and reports without a syntax tree. */
function separator(index: number): string {
  return `import "separator:${index}";`;
}

function hasSeparators(text: string, count: number): boolean {
  const { module, errors } = parseSync("chunk.js", text, { sourceType: "module" });
  const separators = module.staticImports.filter(({ moduleRequest }) => moduleRequest.value.startsWith("separator:"));
  return errors.length === 0 && separators.length === count;
}

function replaceRanges(code: string, ranges: readonly TextRange[], text: (range: TextRange) => string): string {
  return edited(
    code,
    ranges.map((range) => ({ start: range.start, end: range.end, text: text(range) })),
  );
}

/** Returns every word that may be a name. Words in strings and comments also count, which only keeps more functions. */
function namesIn(code: string): readonly string[] {
  return code.match(/[\w$\u0080-\uffff]+/g) ?? [];
}
