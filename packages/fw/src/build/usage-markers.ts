/** Wraps a value in a marker call. A bundle keeps both or drops both; it is analyzed, never run. */
export function usageMarker(mark: string, value: string): string {
  return `$fw_mark(${JSON.stringify(mark)}, ${value})`;
}

/** Collects the marks that a bundle still contains. */
export function usageMarkersIn(bundle: string): ReadonlySet<string> {
  const matches = bundle.matchAll(/\$fw_mark\(("(?:[^"\\]|\\.)*")/g);
  return new Set(Array.from(matches, ([, mark = '""']) => JSON.parse(mark) as string));
}
