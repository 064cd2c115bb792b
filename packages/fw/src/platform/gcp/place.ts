import { CloudError } from "./rest/cloud-error.ts";
import type { Metadata } from "./rest/metadata.ts";
import { databaseName } from "./names.ts";

/** Where a service runs. */
export interface Place {
  readonly app: string;
  readonly env: string;
  /** As the manifest names it. */
  readonly service: string;
  readonly project: string;
  readonly projectNumber: string;
  readonly region: string;
  /** The id of the Datastore database. */
  readonly database: string;
}

/** Reads where the process runs: `FW_APP`, `FW_ENV` and `FW_SERVICE` as the deployment set them, the rest from the metadata server. */
export async function readPlace(env: Readonly<Record<string, string | undefined>>, metadata: Metadata): Promise<Place> {
  const app = required(env, "FW_APP");
  const name = required(env, "FW_ENV");
  const service = required(env, "FW_SERVICE");
  const [project, projectNumber, region] = await Promise.all([
    metadata("project/project-id"),
    metadata("project/numeric-project-id"),
    metadata("instance/region"),
  ]).catch((error: unknown) => {
    throw error instanceof CloudError
      ? new Error(`the metadata server does not say where this service runs (${error.message})`, { cause: error })
      : error;
  });
  return {
    app,
    env: name,
    service,
    project,
    projectNumber,
    // `projects/123/regions/europe-west1`
    region: region.slice(region.lastIndexOf("/") + 1),
    database: env["FW_DATABASE"] ?? databaseName({ app, env: name }),
  };
}

function required(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set; "fw deploy" sets it`);
}
