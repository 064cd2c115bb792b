/** The text of a call that a bundle has where the code has it that makes up its last argument. Such a bundle is looked at, never run. */
export function usageMarker(mark: string, value: string): string {
  return `$fw_mark(${JSON.stringify(mark)}, ${value})`;
}

/** The marks that a bundle still has. */
export function usageMarkersIn(bundle: string): ReadonlySet<string> {
  const found = bundle.matchAll(/\$fw_mark\(("(?:[^"\\]|\\.)*")/g);
  return new Set(Array.from(found, ([, mark = '""']) => JSON.parse(mark) as string));
}
