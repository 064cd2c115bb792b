import { parse as parseSource } from "@handlebars/parser";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Program } from "./ast.ts";
import { problemAt, type TemplateSource } from "./problem.ts";

export type Parsed = { readonly program: Program } | { readonly diagnostic: Diagnostic };

/** Parses a template, memoized by file. Only `generate/template` depends on Handlebars' parser. */
export const parseTemplate: (file: TemplateSource) => Parsed = cachedByObject((file) => {
  try {
    return { program: parseSource(file.source) as unknown as Program };
  } catch (error) {
    return { diagnostic: syntaxProblem(file, error as ParseError) };
  }
});

/** An error of the parser. Syntax errors have `hash`; other errors have a line and column. */
interface ParseError extends Error {
  readonly hash?: SyntaxError;
  readonly lineNumber?: number;
  readonly column?: number;
}

/** If the location is missing, the error is an unterminated token. */
interface SyntaxError {
  readonly text: string;
  readonly token: string | null;
  readonly loc?: ParserLocation;
}

interface ParserLocation {
  readonly last_line: number;
  readonly last_column: number;
}

function syntaxProblem(file: TemplateSource, error: ParseError): Diagnostic {
  const mismatch = /^(\S+) doesn't match (\S+)/.exec(error.message);
  if (mismatch !== null) {
    const message = `{{#${mismatch[1]}}} is closed by {{/${mismatch[2]}}}`;
    return problemAt(file, positionOf(error), message, `close it with {{/${mismatch[1]}}}`);
  }
  if (error.hash === undefined) {
    const hint = "write ../ only at the start of a path, and no {{else}} inside {{#*inline}}";
    return problemAt(file, positionOf(error), error.message.replace(/ - \d+:\d+$/, ""), hint);
  }
  const { loc, text, token } = error.hash;
  if (loc === undefined) return endlessToken(file);
  if (token === "EOF") return unclosedBlock(file);
  if (text === "}}}") return braceAfterValue(file, loc);
  const at = { line: loc.last_line, column: loc.last_column };
  const what = text.trim() === "" ? "" : `: unexpected ${text.trim()}`;
  return problemAt(file, at, `this is not template syntax${what}`, "write \\{{ for braces that are text");
}

function positionOf(error: ParseError): { line: number; column: number } {
  return { line: error.lineNumber ?? 1, column: error.column ?? 0 };
}

/** Locates an unterminated comment, raw block or bracketed name, whose start the parser does not report. */
function endlessToken(file: TemplateSource): Diagnostic {
  const comment = file.source.search(/\{\{~?!--(?![^]*--~?\}\})/);
  if (comment >= 0)
    return problemAt(file, lineAndColumn(file.source, comment), "a comment does not end", "close it with --}}");
  const raw = file.source.search(/\{{4}/);
  if (raw >= 0) {
    const hint = "write \\{{ for braces that are text";
    return problemAt(file, lineAndColumn(file.source, raw), "a raw block does not end", hint);
  }
  const bracket = Math.max(0, file.source.search(/\[[^\]]*$/));
  return problemAt(file, lineAndColumn(file.source, bracket), "a name in brackets does not end", "close it with ]");
}

/** Explains three closing braces, which the parser sees in `{"id":{{id}}}`. */
function braceAfterValue(file: TemplateSource, loc: ParserLocation): Diagnostic {
  const at = { line: loc.last_line, column: loc.last_column };
  return problemAt(file, at, "}}} closes a value that {{ opened", "write a space between }} and }");
}

function unclosedBlock(file: TemplateSource): Diagnostic {
  const open: { name: string; index: number }[] = [];
  for (const tag of file.source.matchAll(/\{\{~?([#^/])\s*([^\s}~]+)/g)) {
    if (tag[1] === "/") open.pop();
    else open.push({ name: tag[2] ?? "", index: tag.index });
  }
  const last = open.at(-1);
  if (last === undefined)
    return problemAt(
      file,
      lineAndColumn(file.source, file.source.length),
      "the template ends inside an expression",
      "close it with }}",
    );
  const at = lineAndColumn(file.source, last.index);
  return problemAt(file, at, `{{#${last.name}}} is never closed`, `close it with {{/${last.name}}}`);
}

/** Returns the position of an index in a text; columns start at 0. */
export function lineAndColumn(source: string, index: number): { line: number; column: number } {
  const before = source.slice(0, index).split(/\r\n?|\n/);
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
}
