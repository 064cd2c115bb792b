/** The rules of an entity's indexed fields, as one text; undefined if there are none. */
export function rulesText(indexed: readonly { readonly name: string; readonly rule?: string }[]): string | undefined {
  const rules = indexed.flatMap(({ name, rule }) => (rule === undefined ? [] : [[name, rule]]));
  return rules.length === 0 ? undefined : JSON.stringify(rules);
}

/** The characters with which properties of terms begin, with the version of the rule for terms. */
const prefix = "@search1:";

/**
 * The property that indexes the terms of these fields. Its name says how its values follow from a document, so every
 * version of an application that writes the document maintains it.
 */
export function searchProperty(fields: readonly string[]): string {
  return prefix + fields.toSorted().join(":");
}

/** The fields whose terms a property indexes; undefined for another property. */
export function searchedFields(property: string): readonly string[] | undefined {
  return property.startsWith(prefix) ? property.slice(prefix.length).split(":") : undefined;
}

/** The term of documents that code without the rule has written. No word has this character. */
export const unknownTerms = "!";
