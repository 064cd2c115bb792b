import { compositeIndexes } from "../../lib/limits.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { textOf } from "../fields.ts";
import { fieldsText } from "../kinds/index.ts";
import type { Check } from "./problem.ts";

/** Whether the database has room for the indexes that are declared beside those that are there. */
export const checkIndexes: Check = async ({ indexes, keepsDocuments }, cloud) => {
  if (!keepsDocuments) return [];
  const { place } = cloud;
  const path = `/v1/projects/${place.project}/databases/${databaseName(place)}/collectionGroups/-/indexes`;
  const live = await cloud.all({ api: "firestore", method: "GET", path, query: { pageSize: 500 } }, "indexes");
  const there = live.map((index) => {
    const entity = /\/collectionGroups\/([^/]+)\//.exec(textOf(index["name"]))?.[1] ?? "";
    return `${entity}: ${fieldsText(index["fields"])}`;
  });
  const wanted = indexes.map(({ entity, fields }) => `${entity}: ${fields}`);
  const all = new Set([...there, ...wanted]);
  if (all.size <= compositeIndexes) return [];
  const counts = new Map<string, number>();
  for (const { entity } of indexes) counts.set(entity, (counts.get(entity) ?? 0) + 1);
  const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 3);
  const unused = there.filter((index) => !wanted.includes(index)).length;
  return [
    {
      what: `the application would have ${all.size} composite indexes, of ${compositeIndexes} that a database has at most`,
      todo: [
        `most are of ${most.map(([entity, count]) => `${entity} (${count})`).join(", ")}: split queries with many conditional filters`,
        ...(unused > 0 ? [`${unused} that are there are no longer declared: --prune-data removes them`] : []),
      ],
    },
  ];
};
