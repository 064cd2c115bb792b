import { type ESTree, type ParserOptions, type ParseResult, parseSync } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { collectNames } from "./names.ts";
import type { SourceModule } from "./module.ts";
import { isSafeToParse } from "./nesting.ts";
import { lineTable, spanOf } from "./position.ts";
import { internNodes } from "./intern-nodes.ts";

/** The maximum length of a file to parse, in characters. Its tree takes several hundred bytes for each of them. */
const longestFile = 8 * 1024 * 1024;

/** Parses one file. Never throws: a file that cannot be parsed has an empty program and a syntax error. */
export function parseModule(path: string, text: string): SourceModule {
  const lines = lineTable(text);
  const file = { path, text, lines };
  const { program, errors } = text.length > longestFile ? tooLong(file) : parse(file);
  return { ...file, program, syntaxErrors: errors, ...collectNames(program) };
}

/** Creates a module for a file that exists but cannot be read as text. */
export function unreadableModule(path: string, why: string): SourceModule {
  const file = { path, text: "", lines: [0] };
  return {
    ...file,
    program: emptyProgram,
    syntaxErrors: [syntaxError(file, 0, 0, why)],
    ...collectNames(emptyProgram),
  };
}

interface ParseOutcome {
  readonly program: ESTree.Program;
  readonly errors: readonly Diagnostic[];
}

type File = Pick<SourceModule, "path" | "text" | "lines">;

const emptyProgram: ESTree.Program = {
  type: "Program",
  body: [],
  sourceType: "module",
  hashbang: null,
  start: 0,
  end: 0,
};

function parse(file: File): ParseOutcome {
  if (!isSafeToParse(file.text)) {
    return { program: emptyProgram, errors: [syntaxError(file, 0, 0, "this file nests too deeply to be parsed")] };
  }
  try {
    const result = parseSync(file.path, file.text, { lang: languageOf(file.path), sourceType: "module" });
    return { program: internNodes(result.program), errors: errorsOf(file, result) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { program: emptyProgram, errors: [syntaxError(file, 0, 0, `this file cannot be parsed: ${why}`)] };
  }
}

function tooLong(file: File): ParseOutcome {
  const message = `this file is too long to analyze: it has more than ${longestFile} characters`;
  return { program: emptyProgram, errors: [syntaxError(file, 0, 0, message)] };
}

function languageOf(path: string): NonNullable<ParserOptions["lang"]> {
  if (/\.d\.[cm]?ts$/.test(path)) return "dts";
  return path.endsWith("x") ? "tsx" : "ts";
}

function errorsOf(file: File, result: ParseResult): readonly Diagnostic[] {
  return result.errors
    .filter((error) => error.severity === "Error")
    .map((error) => {
      const label = error.labels[0];
      const plain = syntaxError(file, label?.start ?? 0, label?.end ?? 0, error.message);
      return error.helpMessage ? Object.assign(plain, { hint: error.helpMessage }) : plain;
    });
}

function syntaxError(file: File, start: number, end: number, message: string): Diagnostic {
  return { code: "syntax", at: spanOf(file, { start, end }), message: message.replace(/\.$/, "") };
}
