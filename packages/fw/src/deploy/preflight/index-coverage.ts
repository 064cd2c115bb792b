import { databaseName } from "../../platform/gcp/names.ts";
import { indexCoverage } from "../../platform/gcp/entities/index-coverage.ts";
import type { EntityResult } from "../../platform/gcp/entities/stored-document.ts";
import type { QueryResultBatch } from "../../platform/gcp/rest/generated/datastore.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import type { Check, DeployNeeds, Problem } from "./problem.ts";

/** The number of documents of each entity to read: ids are random, and all documents older than an index lack it. */
const sampleSize = 100;

/**
 * Refuses an index over documents that were written without it: Datastore silently omits them from the index's results.
 * Reads the documents themselves, because a record of deploys could be outdated.
 */
export const checkIndexCoverage: Check = async ({ entities, keepsDocuments }, cloud) => {
  if (!keepsDocuments) return [];
  const indexed = entities.filter(({ indexed }) => indexed.length > 0);
  return (await Promise.all(indexed.map((entity) => problemsOf(entity, cloud)))).flat();
};

async function problemsOf(entity: DeployNeeds["entities"][number], cloud: DeployCloud): Promise<readonly Problem[]> {
  const documents = await sampleOf(entity.name, cloud);
  return entity.indexed.flatMap((field) => {
    const coverages = documents.map((document) => indexCoverage(document, field));
    if (entity.ruled?.includes(field) && coverages.includes("absent")) return [ruledProblem(entity, field)];
    if (!coverages.includes("unindexed")) return [];
    return [coverages.includes("indexed") ? partialProblem(entity, field) : newProblem(entity, field)];
  });
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

function newProblem({ name, at }: DeployNeeds["entities"][number], field: string): Problem {
  return {
    what: `${name}.${field} has a new index, and documents of ${name} exist: Datastore adds none of them to the index, so queries by ${field} would miss them`,
    at,
    todo: [
      `keep ${field} unchanged and declare a second Index field`,
      `deploy, fill the new field in every document of ${name} with a Job, and then query by it`,
    ],
  };
}

/** Rules apply when documents are read. Datastore cannot list the documents that lack a field. */
function ruledProblem({ name, at }: DeployNeeds["entities"][number], field: string): Problem {
  return {
    what: `some documents of ${name} get ${field} by a rule when they are read: queries by ${field} miss them`,
    at,
    todo: [`rewrite every document of ${name} with a Job that updates them, and then query by ${field}`],
    warns: true,
  };
}

function partialProblem({ name, at }: DeployNeeds["entities"][number], field: string): Problem {
  return {
    what: `some documents of ${name} were written before ${name}.${field} had an index: queries by ${field} miss them`,
    at,
    todo: [`rewrite every document of ${name} with a Job that updates them`],
    warns: true,
  };
}
