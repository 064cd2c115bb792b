/** Returns the names of these items, sorted and without duplicates. */
export function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(named.map(({ name }) => name))].toSorted();
}
