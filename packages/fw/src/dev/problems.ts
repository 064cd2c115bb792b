import { sep } from "node:path";
import { editorLink } from "../lib/editor-link.ts";
import { relativePath } from "../lib/relative-path.ts";
import type { Diagnostic, Span } from "../model/diagnostic.ts";
import { expressionAt } from "../workspace/expression-at.ts";
import type { Exit } from "./app/process.ts";
import type { Problem } from "./live/state.ts";
import type { Failure } from "./protocol.ts";

/** The number of lines to show before and after a problem. */
const contextLines = 2;
/** The maximum length of a printed line. Lines of minified files are truncated. */
const maxLineLength = 160;

/** Describes a diagnostic for the overlay. A location in `root` links to the editor. */
export function diagnosticProblem(
  diagnostic: Diagnostic,
  root: string,
  source: (path: string) => string | undefined,
): Problem {
  const { code, message, at, hint } = diagnostic;
  const text = source(at.path);
  return {
    code,
    message,
    at: place(at),
    href: editorLink(root, at),
    ...(text !== undefined && { frame: codeFrame(text, at) }),
    ...(hint !== undefined && { hint }),
  };
}

/** Converts a failure to a diagnostic, if it has a location in the application. */
export function failureDiagnostic(
  failure: Failure,
  root: string,
  source: (path: string) => string | undefined,
): Diagnostic | undefined {
  if (failure.at === undefined || !failure.at.path.startsWith(root + sep)) return undefined;
  const { path, line, column } = failure.at;
  const at: Span = {
    path: relativePath(root, path),
    line,
    column,
    endLine: line,
    endColumn: column + 1,
  };
  if (failure.stack === undefined) return { code: "syntax", message: failure.message, at };
  const text = source(at.path);
  return { code: "app", message: failure.message, at: text === undefined ? at : expressionAt(text, at) };
}

export function failureProblem(failure: Failure, root: string, source: (path: string) => string | undefined): Problem {
  const diagnostic = failureDiagnostic(failure, root, source);
  const problem = diagnostic && diagnosticProblem(diagnostic, root, source);
  const frame = [problem?.frame, failure.stack].filter((text) => text !== undefined).join("\n\n");
  const base = problem ?? { code: "app", message: failure.message };
  return frame === "" ? base : { ...base, frame };
}

export function exitSentence(exit: Exit): string {
  if (exit.failure) return `the application crashed: ${exit.failure.message}`;
  if (exit.signal === "SIGABRT" || exit.code === 134) return "the application aborted, probably out of memory";
  if (exit.signal !== null) return `the application was killed by ${exit.signal}`;
  return `the application exited with code ${exit.code}`;
}

function place({ path, line, column }: Span): string {
  return `${path}:${line}:${column}`;
}

/** Returns the length of the word at a column, at least 1: a failure has only the start of its expression. */
function wordLength(source: string, column: number): number {
  return /^[\w$]+/.exec(source.slice(column - 1))?.[0].length ?? 1;
}

/** Formats the lines around a span, and underlines the span on its first line. */
function codeFrame(text: string, { line, column, endLine, endColumn }: Span): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - contextLines);
  const width = String(line + contextLines).length;
  return lines
    .slice(first - 1, line + contextLines)
    .flatMap((source, i) => {
      const number = first + i;
      const numberedLine = `${String(number).padStart(width)} | ${source.slice(0, maxLineLength)}`;
      if (number !== line || column > maxLineLength) return [numberedLine];
      const end = Math.min(endLine === line ? endColumn : source.length + 1, maxLineLength + 1);
      const underline = "^".repeat(end - column > 1 ? end - column : wordLength(source, column));
      return [numberedLine, `${" ".repeat(width)} | ${" ".repeat(column - 1)}${underline}`];
    })
    .join("\n");
}
