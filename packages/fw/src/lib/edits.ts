/** A stretch of a text and what takes its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its edits, none of which may overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  let rest = text;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    rest = rest.slice(0, start) + replacement + rest.slice(end);
  }
  return rest;
}
