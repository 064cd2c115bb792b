/** Compares strings by UTF-16 code units, so that sorting does not depend on a locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the names of these items, sorted and without duplicates. */
export function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(named.map(({ name }) => name))].toSorted();
}
