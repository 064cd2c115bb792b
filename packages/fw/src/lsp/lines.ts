import type { Span } from "../model/diagnostic.ts";
import type { Position, Range } from "./protocol.ts";

/** Line endings in the language server protocol, and in TypeScript, which has U+2028 and U+2029 as well. */
const editorEnds = /\r\n|[\r\n]/g;
const sourceEnds = /\r\n|[\r\n\u2028\u2029]/g;
const separators = /[\u2028\u2029]/;

export class Lines {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string, ends: RegExp = editorEnds) {
    this.#text = text;
    this.#starts = [0, ...Array.from(text.matchAll(ends), (end) => end.index + end[0].length)];
  }

  /** Converts a position to an offset, clamped to the end of the line or the text. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line];
    if (start === undefined) return this.#text.length;
    const next = this.#starts[line + 1];
    const text = this.#text.slice(start, next);
    const length = next === undefined ? text.length : text.replace(/(?:\r\n|[\r\n\u2028\u2029])$/, "").length;
    return start + Math.min(character, length);
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (this.#starts[low] ?? 0) };
  }
}

/** Converts a span to an editor's range, which counts from 0 and ignores U+2028 and U+2029. */
export function rangeOf(at: Span, text: string | undefined): Range {
  const start = { line: at.line - 1, character: at.column - 1 };
  const end = { line: at.endLine - 1, character: at.endColumn - 1 };
  if (text === undefined || !isSource(at.path) || !separators.test(text)) return { start, end };
  const [source, editor] = [new Lines(text, sourceEnds), new Lines(text)];
  return { start: editor.positionAt(source.offsetAt(start)), end: editor.positionAt(source.offsetAt(end)) };
}

/** Converts an editor's position to a line and column of the analysis. */
export function sourcePosition(path: string, position: Position, text: string): Pick<Span, "path" | "line" | "column"> {
  const sourceLines =
    isSource(path) && separators.test(text)
      ? new Lines(text, sourceEnds).positionAt(new Lines(text).offsetAt(position))
      : position;
  return { path, line: sourceLines.line + 1, column: sourceLines.character + 1 };
}

function isSource(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}
