/** Combines the rules of an entity's indexed fields into one string; undefined if there are none. */
export function rulesText(indexed: readonly { readonly name: string; readonly rule?: string }[]): string | undefined {
  const rules = indexed.flatMap(({ name, rule }) => (rule === undefined ? [] : [[name, rule]]));
  return rules.length === 0 ? undefined : JSON.stringify(rules);
}

/**
 * The versions of the function that splits text into terms. In version 1, scripts without spaces had a term for each
 * character. Code of both versions may run at the same time.
 */
export type TermRule = 1 | 2;

/** The prefix of properties with terms. It contains the version of the term function. */
const prefix = "@search2:";

/**
 * Returns the property that indexes the terms of `fields`. The property's name states how its values are derived from a
 * document, so every version of an application that writes the document maintains the index.
 */
export function searchProperty(fields: readonly string[]): string {
  return prefix + fields.toSorted().map(escapeName).join(":");
}

/** Escapes the characters that separate names and path segments, because a field's name may contain them. */
function escapeName(name: string): string {
  return name.replace(/[%:.]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** Returns the fields whose terms a property indexes; undefined for other properties. */
export function searchedFields(property: string): readonly string[] | undefined {
  return /^@search[12]:/.test(property) ? property.slice(prefix.length).split(":").map(unescapeName) : undefined;
}

/** Returns the version of the term function for a property; undefined for other properties. */
export function termRule(property: string): TermRule | undefined {
  if (property.startsWith(prefix)) return 2;
  return property.startsWith("@search1:") ? 1 : undefined;
}

function unescapeName(name: string): string {
  return name.replace(/%(2[5e]|3a)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Describes the fields of a composite index to users, such as `words of title` and `placed desc`. */
export function indexTexts(fields: readonly { readonly field: string; readonly direction: string }[]): string[] {
  return fields.map(({ field, direction }) => {
    const searched = searchedFields(field);
    return searched === undefined ? `${field} ${direction}` : `words of ${searched.join(" and ")}`;
  });
}

/** The only term of a document that was written by code without the term function. No word contains this character. */
export const unknownTerms = "!";
