import { databaseName } from "./names.ts";

/** The service of a process, with its application, environment, project, region and database. */
export interface CloudLocation extends ProjectLocation {
  readonly app: string;
  readonly env: string;
  readonly service: string;
  readonly database: string;
}

export interface ProjectLocation {
  readonly project: string;
  readonly projectNumber: string;
  readonly region: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the location of this process from the environment. Calls `askMetadata` for the project and region unless
 * variables set them. Throws if `FW_APP`, `FW_ENV` or `FW_SERVICE` is missing.
 */
export async function readCloudLocation(
  env: Environment,
  askMetadata: () => Promise<ProjectLocation>,
): Promise<CloudLocation> {
  const app = required(env, "FW_APP");
  const name = required(env, "FW_ENV");
  const service = required(env, "FW_SERVICE");
  const location = locationIn(env) ?? (await askMetadata());
  return { app, env: name, service, ...location, database: env["FW_DATABASE"] ?? databaseName({ app, env: name }) };
}

/** Returns the variables for a service's location, which it then need not request at startup. */
export function locationEnvironment({ project, projectNumber, region }: ProjectLocation): Record<string, string> {
  return { FW_PROJECT: project, FW_PROJECT_NUMBER: projectNumber, FW_REGION: region };
}

/**
 * Reads the project and region from the environment; undefined if a variable is missing. Ignores the variables if
 * another metadata server is set, so that a rehearsal cannot act on a real project.
 */
function locationIn(env: Environment): ProjectLocation | undefined {
  const { FW_PROJECT: project, FW_PROJECT_NUMBER: projectNumber, FW_REGION: region } = env;
  if (!project || !projectNumber || !region || env["GCE_METADATA_HOST"]) return undefined;
  return { project, projectNumber, region };
}

function required(env: Environment, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set; "fw deploy" sets it`);
}
