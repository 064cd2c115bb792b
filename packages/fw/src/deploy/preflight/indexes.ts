import { compositeIndexes } from "../../lib/limits.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { textOf } from "../fields.ts";
import { fieldsText } from "../kinds/index.ts";
import type { Check } from "./problem.ts";

/** Checks that the database has room for the declared indexes in addition to the existing ones. */
export const checkIndexes: Check = async ({ indexes, keepsDocuments }, cloud) => {
  if (!keepsDocuments) return [];
  const { place } = cloud;
  const path = `/v1/projects/${place.project}/databases/${databaseName(place)}/collectionGroups/-/indexes`;
  const live = await cloud.all({ api: "firestore", method: "GET", path, query: { pageSize: 500 } }, "indexes");
  const existing = live.map((index) => {
    const entity = /\/collectionGroups\/([^/]+)\//.exec(textOf(index["name"]))?.[1] ?? "";
    return `${entity}: ${fieldsText(index["fields"])}`;
  });
  const declaredIndexes = indexes.map(({ entity, fields }) => `${entity}: ${fields}`);
  const all = new Set([...existing, ...declaredIndexes]);
  if (all.size <= compositeIndexes) return [];
  const unused = existing.filter((index) => !declaredIndexes.includes(index)).length;
  return [
    {
      what: `the application would have ${all.size} composite indexes, but a database can have at most ${compositeIndexes}`,
      todo: [
        `most are of ${largestEntities(indexes).join(", ")}: split queries with many conditional filters`,
        ...(unused > 0 ? [`${unused} existing ones are no longer declared; --prune-data removes them`] : []),
      ],
    },
  ];
};

/** Returns the three entities with the most indexes, with their counts. */
function largestEntities(indexes: readonly { readonly entity: string }[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { entity } of indexes) counts.set(entity, (counts.get(entity) ?? 0) + 1);
  const largest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 3);
  return largest.map(([entity, count]) => `${entity} (${count})`);
}
