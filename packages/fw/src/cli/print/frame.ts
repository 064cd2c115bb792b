import type { Span } from "../../model/diagnostic.ts";
import { visible } from "../../lib/visible.ts";
import type { Palette } from "./colour.ts";
import { cells } from "./width.ts";

/** The line a span begins on, with the span underlined. */
export function frame(line: string, at: Span, { dim, red }: Palette): string {
  const end = at.endLine > at.line ? line.length + 1 : at.endColumn;
  const { text, before, marked } = drawn(line, at.column - 1, end - 1);
  const number = String(at.line);
  const margin = " ".repeat(number.length);
  return `  ${dim(`${number} |`)} ${text}\n  ${dim(`${margin} |`)} ${" ".repeat(before)}${red("^".repeat(marked))}`;
}

/** UTF-16 units kept on either side of a span's start, so that a minified line costs and prints little. */
const reach = 100;
const tabStop = 4;

interface Drawn {
  readonly text: string;
  /** Terminal columns before the underline, and under it. */
  readonly before: number;
  readonly marked: number;
}

function drawn(line: string, start: number, end: number): Drawn {
  const from = Math.min(start, line.length);
  const first = boundary(line, from - reach);
  const last = boundary(line, from + reach);
  const clipped = first > 0 ? "…" : "";
  let text = clipped;
  let column = clipped.length;
  let before = column;
  let after = column;
  for (const cell of cells(line.slice(first, last))) {
    const shown = shownCell(cell.text, cell.width, column);
    text += shown.text;
    column += shown.width;
    if (first + cell.index + cell.text.length <= from) before = column;
    if (first + cell.index < end) after = column;
  }
  if (last < line.length) text += "…";
  return { text: text.trimEnd(), before, marked: Math.max(1, after - before) };
}

/** Keeps a cut inside the line and out of the middle of a surrogate pair. */
function boundary(line: string, index: number): number {
  const inside = Math.max(0, Math.min(index, line.length));
  const code = line.charCodeAt(inside);
  return code >= 0xdc00 && code <= 0xdfff && inside > 0 ? inside - 1 : inside;
}

function shownCell(cell: string, width: number, column: number): { readonly text: string; readonly width: number } {
  if (cell === "\t") {
    const spaces = tabStop - (column % tabStop);
    return { text: " ".repeat(spaces), width: spaces };
  }
  const text = visible(cell);
  return text === cell ? { text, width } : { text, width: text.length };
}
