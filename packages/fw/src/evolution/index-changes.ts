import type { Change } from "./change.ts";
import { indexTexts, searchedFields } from "../lib/derived-indexes.ts";
import { listOf } from "../lib/suggest.ts";
import { ruledFields, type Subject } from "./data-changes.ts";
import type { RecordedEntity } from "./recorded.ts";

/**
 * Returns the changes for new indexes (filled from existing documents), for fields that become Unique, and for indexed
 * fields with a new rule.
 */
export function indexChanges(
  { name, at }: Subject,
  old: RecordedEntity,
  now: RecordedEntity | undefined,
): readonly Change[] {
  if (now === undefined) return [];
  const before = new Map(old.indexed.map((field) => [field.name, field]));
  const base = { rule: "evolve-index", verdict: "fill", at } as const;
  const fields = now.indexed.flatMap(({ name: field, many, unique }): Change[] => {
    const earlier = before.get(field);
    const isNew = earlier === undefined || earlier.many !== many;
    const change = { ...base, before: marker(earlier), after: marker({ unique }) };
    const searched = searchedFields(field);
    if (isNew && searched !== undefined) return [searchChange(change, name, searched)];
    if (isNew) return [{ ...change, message: `${name}.${field} has a new index`, hint: indexHint }];
    if (unique && !earlier.unique) return [{ ...change, message: `${name}.${field} becomes Unique`, hint: uniqueHint }];
    return [];
  });
  const oldIndexes = new Set(old.indexes.map((index) => JSON.stringify(index)));
  const composites = now.indexes
    .filter((index) => !oldIndexes.has(JSON.stringify(index)))
    .map((index): Change => {
      const indexText = indexTexts(index).join(", ");
      return {
        ...base,
        before: "",
        after: `(${indexText})`,
        message: `${name} has a new composite index (${indexText})`,
        hint: compositeHint,
      };
    });
  return [...fields, ...composites, ...ruledIndexChanges({ name, at }, old, now)];
}

/**
 * Returns the changes for indexed fields with a new rule. An index contains stored values, so every document is
 * rewritten to store the value that the rule computes.
 */
function ruledIndexChanges(
  { name, at }: Pick<Subject, "name" | "at">,
  { evolution: before }: RecordedEntity,
  { evolution: rules, indexed }: RecordedEntity,
): readonly Change[] {
  const older = new Set(ruledFields(before));
  const ruled = new Set(ruledFields(rules).filter((field) => !older.has(field)));
  return indexed
    .filter((field) => ruled.has(field.name))
    .map(({ name: field }) => ({
      rule: "evolve-index",
      verdict: "fill",
      at,
      message: `every document of ${name} is read and written once, because ${field} has an index and a rule`,
      before: "",
      after: field,
      hint: `that happens in the background from the start of the new version; queries by ${field} may fail with 503 until it is done`,
    }));
}

function searchChange(change: Omit<Change, "message" | "hint">, name: string, searched: readonly string[]): Change {
  return {
    ...change,
    after: "Search",
    message: `${name} has a new index of the words in ${listOf(searched, "and")}`,
    hint: indexHint,
  };
}

const indexHint = "it is filled from existing documents before requests go to the new version";
const uniqueHint = "documents that share a value now keep it, and each start reports them";
const compositeHint = "it is built from existing documents before queries use it";

function marker(field: { readonly unique?: true | undefined } | undefined): string {
  return field === undefined ? "" : field.unique ? "Unique" : "Index";
}
