import type { Span } from "../../model/diagnostic.ts";
import { visible } from "../../lib/visible.ts";
import type { Palette } from "./colour.ts";
import { cells } from "./width.ts";

/** Formats the first line of a span with its number, and underlines the span. */
export function frame(line: string, at: Span, { dim, red }: Palette): string {
  const end = at.endLine > at.line ? line.length + 1 : at.endColumn;
  const { text, before, underlined: marked } = clipLine(line, at.column - 1, end - 1);
  const number = String(at.line);
  const margin = " ".repeat(number.length);
  return `  ${dim(`${number} |`)} ${text}\n  ${dim(`${margin} |`)} ${" ".repeat(before)}${red("^".repeat(marked))}`;
}

/** The number of UTF-16 units to show on either side of a span's start, to shorten minified lines. */
const reach = 100;
const tabStop = 4;

interface ClippedLine {
  readonly text: string;
  /** The widths before the underline and of the underline, in terminal columns. */
  readonly before: number;
  readonly underlined: number;
}

function clipLine(line: string, start: number, end: number): ClippedLine {
  const from = Math.min(start, line.length);
  const first = boundary(line, from - reach);
  const last = boundary(line, from + reach);
  const clipped = first > 0 ? "…" : "";
  let text = clipped;
  let column = clipped.length;
  let before = column;
  let after = column;
  for (const cell of cells(line.slice(first, last))) {
    const visibleCell = printCell(cell.text, cell.width, column);
    text += visibleCell.text;
    column += visibleCell.width;
    if (first + cell.index + cell.text.length <= from) before = column;
    if (first + cell.index < end) after = column;
  }
  if (last < line.length) text += "…";
  return { text: text.trimEnd(), before, underlined: Math.max(1, after - before) };
}

/** Clamps an index to the line, and moves it out of a surrogate pair. */
function boundary(line: string, index: number): number {
  const inside = Math.max(0, Math.min(index, line.length));
  const code = line.charCodeAt(inside);
  return code >= 0xdc00 && code <= 0xdfff && inside > 0 ? inside - 1 : inside;
}

function printCell(cell: string, width: number, column: number): { readonly text: string; readonly width: number } {
  if (cell === "\t") {
    const spaces = tabStop - (column % tabStop);
    return { text: " ".repeat(spaces), width: spaces };
  }
  const text = visible(cell);
  return text === cell ? { text, width } : { text, width: text.length };
}
