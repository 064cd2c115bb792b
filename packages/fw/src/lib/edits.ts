/** A text range and its replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits to a text. They must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let rest = text.length;
  for (const edit of edits.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    parts.push(text.slice(edit.end, rest), edit.text);
    rest = edit.start;
  }
  parts.push(text.slice(0, rest));
  return parts.toReversed().join("");
}
