import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lineTable, offsetOf } from "../analysis/source/position.ts";
import type { Diagnostic, Edit, Span } from "../model/diagnostic.ts";

export interface WrittenFixes {
  readonly fixed: number;
  /** The files that were written, relative to the root. */
  readonly files: readonly string[];
}

/**
 * Writes the fixes of diagnostics to disk. Of overlapping fixes, applies the first in source order. Skips fixes in
 * files that have changed since the analysis.
 */
export function writeFixes(
  root: string,
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): WrittenFixes {
  const accepted: Edit[] = [];
  let fixed = 0;
  for (const { fix } of diagnostics) {
    if (fix === undefined || !fix.edits.every((edit) => accepted.every((other) => areCompatible(edit, other))))
      continue;
    if (!fix.edits.every(({ at: { path } }) => sources.get(path) === readTextFile(join(root, path)))) continue;
    accepted.push(...fix.edits.filter((edit) => !accepted.some((other) => isSame(edit, other))));
    fixed += 1;
  }
  const files = [...new Set(accepted.map(({ at }) => at.path))];
  for (const path of files) {
    const own = accepted.filter(({ at }) => at.path === path);
    writeFileSync(join(root, path), applyEdits(sources.get(path) ?? "", own));
  }
  return { fixed, files };
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const whole = { path: "", text, lines: lineTable(text) };
  let result = "";
  let done = 0;
  for (const { at, text: inserted } of edits.toSorted((one, other) => compare(one.at, other.at))) {
    result += text.slice(done, offsetOf(whole, at)) + inserted;
    done = offsetOf(whole, { line: at.endLine, column: at.endColumn });
  }
  return result + text.slice(done);
}

/** True if both edits can be applied: they are equal (the same import), both insert text, or do not overlap. */
function areCompatible(one: Edit, other: Edit): boolean {
  if (one.at.path !== other.at.path || isSame(one, other)) return true;
  if (isInsertion(one) && isInsertion(other)) return true;
  return isBefore(one.at, other.at) || isBefore(other.at, one.at);
}

function isSame(one: Edit, other: Edit): boolean {
  return one.at.path === other.at.path && one.text === other.text && compare(one.at, other.at) === 0;
}

function isInsertion({ at }: Edit): boolean {
  return at.line === at.endLine && at.column === at.endColumn;
}

/** True if one range ends before the other one starts. */
function isBefore(one: Span, other: Span): boolean {
  return one.endLine < other.line || (one.endLine === other.line && one.endColumn <= other.column);
}

function compare(one: Span, other: Span): number {
  return (
    one.line - other.line || one.column - other.column || one.endLine - other.endLine || one.endColumn - other.endColumn
  );
}

function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
