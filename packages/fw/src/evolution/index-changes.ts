import type { Change } from "./change.ts";
import type { Subject } from "./data-changes.ts";
import type { RecordedEntity } from "./recorded.ts";

/** Indexes that existing documents are not in yet. */
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
    if (isNew) return [{ ...change, message: `${name}.${field} has a new index`, hint: indexHint }];
    if (unique && !earlier.unique) return [{ ...change, message: `${name}.${field} becomes Unique`, hint: uniqueHint }];
    return [];
  });
  const oldIndexes = new Set(old.indexes.map((index) => JSON.stringify(index)));
  const composites = now.indexes
    .filter((index) => !oldIndexes.has(JSON.stringify(index)))
    .map((index): Change => {
      const indexText = index.map(({ field, direction }) => `${field} ${direction}`).join(", ");
      return {
        ...base,
        before: "",
        after: `(${indexText})`,
        message: `${name} has a new composite index (${indexText})`,
        hint: compositeHint,
      };
    });
  return [...fields, ...composites];
}

const indexHint =
  "a local store fills it before the new version answers; on Google Cloud, deploy refuses it: declare another field, and fill it by a Job";
const uniqueHint = "documents that share a value now keep it, and each start reports them";
const compositeHint = "it is built from existing documents before queries use it";

function marker(field: { readonly unique?: true | undefined } | undefined): string {
  return field === undefined ? "" : field.unique ? "Unique" : "Index";
}
