/** The rules of an entity's indexed fields, as one text; undefined if there are none. */
export function rulesText(indexed: readonly { readonly name: string; readonly rule?: string }[]): string | undefined {
  const rules = indexed.flatMap(({ name, rule }) => (rule === undefined ? [] : [[name, rule]]));
  return rules.length === 0 ? undefined : JSON.stringify(rules);
}

/**
 * The versions of the rule for terms. Documents of the first one had a term for each character of a script without
 * spaces; code of both may run side by side.
 */
export type TermRule = 1 | 2;

/** The characters with which properties of terms begin, with the version of the rule for terms. */
const prefix = "@search2:";
const prefixes: ReadonlyMap<string, TermRule> = new Map([
  ["@search1:", 1],
  [prefix, 2],
]);

/**
 * The property that indexes the terms of these fields. Its name says how its values follow from a document, so every
 * version of an application that writes the document maintains it.
 */
export function searchProperty(fields: readonly string[]): string {
  return prefix + fields.toSorted().map(escapeName).join(":");
}

/** A name may have the character that separates names, and the one that separates the parts of paths. */
function escapeName(name: string): string {
  return name.replace(/[%:.]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** The fields whose terms a property indexes; undefined for another property. */
export function searchedFields(property: string): readonly string[] | undefined {
  if (termRule(property) === undefined) return undefined;
  return property.slice(prefix.length).split(":").map(unescapeName);
}

/** The rule for the terms of a property; undefined for another property. */
export function termRule(property: string): TermRule | undefined {
  return prefixes.get(property.slice(0, prefix.length));
}

function unescapeName(name: string): string {
  return name.replace(/%(2[5e]|3a)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Describes the fields of a composite index to a user, such as `words of title` and `placed desc`. */
export function indexTexts(fields: readonly { readonly field: string; readonly direction: string }[]): string[] {
  return fields.map(({ field, direction }) => {
    const searched = searchedFields(field);
    return searched === undefined ? `${field} ${direction}` : `words of ${searched.join(" and ")}`;
  });
}

/** The term of documents that code without the rule has written. No word has this character. */
export const unknownTerms = "!";
