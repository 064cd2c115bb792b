import { termRule } from "../lib/derived-indexes.ts";
import { indexedElements } from "../lib/limits.ts";
import { indexedTerms } from "../lib/search-terms.ts";
import { setTerms } from "./document.ts";
import { PlatformError } from "./errors.ts";
import type { Fields } from "./values.ts";

/** Installs the function that splits `Search` fields into terms. */
export function useTerms(): void {
  setTerms(termsOf);
}

function termsOf(textFields: readonly string[], fields: Fields, property: string): readonly string[] {
  const rule = termRule(property);
  const terms = new Set<string>();
  const values = textFields.flatMap((name) => (Object.hasOwn(fields, name) ? (fields[name] ?? []) : []));
  for (const value of values) {
    for (const term of typeof value === "string" ? indexedTerms(value, rule) : []) terms.add(term);
    if (terms.size > indexedElements)
      throw new PlatformError(
        "indexed",
        `the Search fields ${textFields.join(", ")} have over ${indexedElements} words and prefixes of words`,
      );
  }
  return [...terms];
}
