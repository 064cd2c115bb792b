/** The names of some things, each once, sorted. */
export function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(named.map(({ name }) => name))].toSorted();
}
