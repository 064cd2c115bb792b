import { parseSync } from "rolldown/utils";
import { closure } from "../lib/closure.ts";
import { edited, type Edit } from "../lib/edits.ts";

/** A range of a chunk's text. */
type TextRange = Pick<Edit, "start" | "end">;

/**
 * Drops functions of a chunk that nothing uses but the call which names them. The bundler renames functions that share
 * a name and takes that call for a use of them. Lines keep their numbers.
 *
 * Finds statements by the bundler's layout, because the syntax tree of a chunk takes ten times as long as its parse.
 * The parser confirms what is dropped.
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

/** The functions that begin at the start of a line, by name. */
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

/** Lines that only name a function: `__name(pathOf$1, "pathOf");`, by its name. */
function namingsIn(code: string): ReadonlyMap<string, readonly TextRange[]> {
  const namings = new Map<string, TextRange[]>();
  for (const { 0: line, 1: name = "", index } of code.matchAll(/^__name\(([^\s,()]+), "[^"\n]*"\);$/gm))
    namings.set(name, [...(namings.get(name) ?? []), { start: index, end: index + line.length }]);
  return namings;
}

/** True if each range is a whole function: within parentheses, it is an expression. */
function areFunctions(code: string, ranges: readonly TextRange[]): boolean {
  const text = ranges.map(({ start, end }, index) => `(${code.slice(start, end)}\n);\n${separator(index)}\n`).join("");
  return hasSeparators(text, ranges.length);
}

/** True if each range consists of statements at the top level, and not of text in a template. */
function areStatements(code: string, ranges: readonly TextRange[]): boolean {
  let count = 0;
  return hasSeparators(
    replaceRanges(code, ranges, () => separator(count++)),
    ranges.length,
  );
}

/** A statement that the parser accepts only at the top level, and lists without a syntax tree. */
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

/** Every word that may be a name; words of strings and comments among them only keep more. */
function namesIn(code: string): readonly string[] {
  return code.match(/[\w$\u0080-\uffff]+/g) ?? [];
}
