import type { Diagnostic, Span } from "../../model/diagnostic.ts";

/** A file of a site's `templates/` directory. */
export interface TemplateSource {
  /** The path inside `templates/`, with forward slashes, such as `notes/_list.html`. */
  readonly name: string;
  readonly source: string;
  /** The path for diagnostics, relative to the application's root; by default the name. */
  readonly path?: string;
}

/** A position from the parser: lines count from 1, columns from 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export function problemAt(
  file: TemplateSource,
  start: Position,
  message: string,
  hint: string,
  end?: Position,
): Diagnostic {
  return { code: "template", at: spanAt(file, start, end), message, hint };
}

export function spanAt(file: TemplateSource, start: Position, end: Position | undefined): Span {
  return {
    path: file.path ?? file.name,
    line: start.line,
    column: start.column + 1,
    endLine: (end ?? start).line,
    endColumn: end === undefined ? start.column + 2 : end.column + 1,
  };
}
