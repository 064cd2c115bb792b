import { searchedFields } from "../../lib/derived-indexes.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { isUnindexed } from "../../platform/gcp/entities/index-coverage.ts";
import type { EntityResult } from "../../platform/gcp/entities/stored-document.ts";
import type { QueryResultBatch } from "../../platform/gcp/rest/generated/datastore.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { isRegistered } from "../kinds/field-indexes.ts";
import type { Check, DeployNeeds, Problem } from "./problem.ts";

/**
 * The number of documents to sample from each entity. Generated ids are random, and every document older than an index
 * is missing from it, so a sample shows whether there are any.
 */
const sampleSize = 100;

/**
 * Refuses a new index if the entity was only written by versions without a registry of indexes: until traffic has
 * moved, the running code still writes documents without adding them to the index.
 */
export const checkIndexCoverage: Check = async ({ entities, keepsDocuments }, cloud) => {
  if (!keepsDocuments) return [];
  const indexed = entities.filter(({ indexed }) => indexed.length > 0);
  return (await Promise.all(indexed.map((entity) => problemsOf(entity, cloud)))).flat();
};

async function problemsOf(entity: DeployNeeds["entities"][number], cloud: DeployCloud): Promise<readonly Problem[]> {
  if (await isRegistered(entity.name, cloud)) return [];
  const documents = await sampleOf(entity.name, cloud);
  return entity.indexed
    .filter((field) => documents.some((document) => isUnindexed(document, field)))
    .map((property) => searchedFields(property)?.join(", ") ?? property)
    .map((field) => ({
      what: `${entity.name}.${field} has a new index, and the running version of fw does not maintain it`,
      at: entity.at,
      todo: [`deploy once without the Index of ${field}, then again with it`],
    }));
}

async function sampleOf(kind: string, cloud: DeployCloud): Promise<readonly EntityResult[]> {
  const { project } = cloud.place;
  const databaseId = databaseName(cloud.place);
  const answer = await cloud.find({
    api: "datastore",
    method: "POST",
    path: `/v1/projects/${project}:runQuery`,
    body: {
      databaseId,
      partitionId: { projectId: project, databaseId },
      query: { kind: [{ name: kind }], limit: sampleSize },
    },
    repeatable: true,
  });
  return (answer?.["batch"] as QueryResultBatch | undefined)?.entityResults ?? [];
}
