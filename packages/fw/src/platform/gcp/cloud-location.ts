import { CloudError } from "./rest/cloud-error.ts";
import type { Metadata } from "./rest/metadata.ts";
import { databaseName } from "./names.ts";

/** The project, region and service that a process runs in. */
export interface CloudLocation {
  readonly app: string;
  readonly env: string;
  /** The service's name in the manifest. */
  readonly service: string;
  readonly project: string;
  readonly projectNumber: string;
  readonly region: string;
  /** The id of the Datastore database. */
  readonly database: string;
}

/** Reads `FW_APP`, `FW_ENV` and `FW_SERVICE`, which the deploy sets, and the rest from the metadata server. */
export async function readCloudLocation(
  env: Readonly<Record<string, string | undefined>>,
  metadata: Metadata,
): Promise<CloudLocation> {
  const app = required(env, "FW_APP");
  const name = required(env, "FW_ENV");
  const service = required(env, "FW_SERVICE");
  const [project, projectNumber, region] = await Promise.all([
    metadata("project/project-id"),
    metadata("project/numeric-project-id"),
    metadata("instance/region"),
  ]).catch((error: unknown) => {
    throw error instanceof CloudError
      ? new Error(`the metadata server did not return this service's project and region (${error.message})`, {
          cause: error,
        })
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
