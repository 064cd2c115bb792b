import { counted } from "../../lib/counted.ts";
import { isError, type Diagnostic, type Span } from "../../model/diagnostic.ts";
import { visible } from "../../lib/visible.ts";
import type { IO } from "../io.ts";
import { textsBelow } from "../../lib/read-file.ts";
import { palette, wantsColour, type Palette } from "./colour.ts";
import { frame } from "./frame.ts";

export interface TextOptions {
  readonly colour: boolean;
  /** Returns the text of a file by its path relative to the application's root; undefined for no code frame. */
  readonly source: (path: string) => string | undefined;
}

/** Returns options for printing the diagnostics of the application at `root`. */
export function textOptions(root: string, { out, env }: Pick<IO, "out" | "env">): TextOptions {
  return { colour: wantsColour(out, env), source: textsBelow(root) };
}

/** Formats diagnostics for the terminal: `path:line:col: message (code)`, the code in question, and a hint. */
export function printText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  if (diagnostics.length === 0) return "";
  const colours = palette(options.colour);
  const lineOf = lineReader(options.source);
  const blocks = diagnostics.map((diagnostic) => block(diagnostic, lineOf(diagnostic.at), colours));
  return `${blocks.join("\n\n")}\n\n${colours.bold(summary(diagnostics))}\n`;
}

/** Formats a diagnostic as one line, without color, severity and hint, for logs and tests. */
export function printLine({ at, message, code }: Diagnostic): string {
  return `${place(at)}: ${visible(message)} (${visible(code)})`;
}

function block(diagnostic: Diagnostic, line: string | undefined, colours: Palette): string {
  const { at, message, code, hint, related = [] } = diagnostic;
  const lines = [
    `${colours.cyan(place(at))}: ${isError(diagnostic) ? "" : "warning: "}${colours.bold(visible(message))} ${colours.dim(`(${visible(code)})`)}`,
    line === undefined ? "" : frame(line, at, colours),
    hint === undefined ? "" : `  ${colours.cyan("hint:")} ${visible(hint)}`,
    ...related.map((other) => `  ${colours.dim(`${place(other.at)}: ${visible(other.message)}`)}`),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** Returns a function that reads the first line of a span. Splits each file into lines only once. */
function lineReader(source: TextOptions["source"]): (at: Span) => string | undefined {
  const files = new Map<string, readonly string[]>();
  return ({ path, line }) => {
    const lines =
      files.get(path) ??
      source(path)
        ?.replace(/^\ufeff/, "")
        .split(lineEnd) ??
      [];
    files.set(path, lines);
    return lines[line - 1];
  };
}

/** The line terminators that TypeScript and the analysis recognize. */
const lineEnd = /\r\n|[\n\r\u2028\u2029]/;

function place({ path, line, column }: Span): string {
  return `${visible(path)}:${line}:${column}`;
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const files = new Set(diagnostics.map(({ at }) => at.path)).size;
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  const counts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  return `${counts.join(" and ")} in ${counted(files, "file")}`;
}
