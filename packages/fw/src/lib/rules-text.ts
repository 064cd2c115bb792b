/** The rules of an entity's indexed fields, as one text; undefined if there are none. */
export function rulesText(indexed: readonly { readonly name: string; readonly rule?: string }[]): string | undefined {
  const rules = indexed.flatMap(({ name, rule }) => (rule === undefined ? [] : [[name, rule]]));
  return rules.length === 0 ? undefined : JSON.stringify(rules);
}
