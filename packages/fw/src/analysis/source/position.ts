import type { Span } from "../../model/diagnostic.ts";

/** The offset of each line of a text, in UTF-16 units. */
export type LineTable = readonly number[];

/** A range of offsets in the text of a module, such as that of a syntax node. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

interface Text {
  readonly path: string;
  readonly text: string;
  readonly lines: LineTable;
}

const byteOrderMark = 0xfeff;

/** Splits lines as TypeScript does: at CR LF, LF, CR and the two Unicode separators. */
export function lineTable(text: string): LineTable {
  const starts = [0];
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
  while (lineEnd.test(text)) starts.push(lineEnd.lastIndex);
  return starts;
}

/** Converts offsets to lines and columns from 1. A byte order mark does not count as a column. */
export function spanOf(module: Text, extent: Extent): Span {
  const from = positionOf(module, extent.start);
  const to = positionOf(module, Math.max(extent.start, extent.end));
  return { path: module.path, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

function positionOf(module: Text, offset: number): { readonly line: number; readonly column: number } {
  const clamped = Math.min(Math.max(0, offset), module.text.length);
  const line = lineAt(module.lines, clamped);
  const mark = line === 0 && clamped > 0 && module.text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  return { line: line + 1, column: clamped - (module.lines[line] ?? 0) - mark + 1 };
}

/** Converts a line and column to an offset, possibly past the end of the line. */
export function offsetOf({ lines, text }: Text, { line, column }: Pick<Span, "line" | "column">): number {
  const mark = line === 1 && text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  return (lines[line - 1] ?? text.length) + mark + column - 1;
}

/** Returns the index of the last line that starts at or before an offset. */
function lineAt(lines: LineTable, offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
