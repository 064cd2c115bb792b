import type { Cloud } from "../platform/gcp/cloud.ts";
import { setTimeout } from "node:timers/promises";
import { readEndpoints } from "../platform/gcp/rest/endpoints.ts";
import { openClient } from "../platform/gcp/rest/client.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { Connections } from "../platform/gcp/rest/connections.ts";
import { readHosts } from "../platform/gcp/rest/hosts.ts";
import { Retries } from "../platform/gcp/rest/retry.ts";
import { CredentialsError, defaultCredentials, type Credentials } from "./credentials/credentials.ts";
import { DeployCloud, type PushedImage } from "./deploy-cloud.ts";
import { LockedError } from "./lock.ts";
import type { DeployPlace } from "./deploy-place.ts";
import { findProject } from "./preflight/project.ts";
import type { Problem } from "./preflight/problem.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A connection to Google Cloud with the deploying account's credentials. */
export interface CloudConnection extends Pick<Cloud, "client" | "connections" | "hosts"> {
  readonly credentials: Credentials;
  /** Reports the reason for a wait of more than a few seconds. */
  readonly waiting?: (reason: string) => void;
  close(): Promise<void>;
}

export async function connect(env: Environment, project: string): Promise<CloudConnection> {
  const connections = new Connections();
  const hosts = readHosts(env);
  const credentials = await defaultCredentials({ env, connections, hosts });
  const client = openClient({
    connections,
    endpointOf: readEndpoints(env),
    identity: credentials.identity,
    retries: new Retries(),
    // For a person's calls, Google bills the project in this header.
    ...(credentials.isPerson && { headers: { "x-goog-user-project": project } }),
  });
  return { client, credentials, connections, hosts, close: () => client.close() };
}

/** The application, environment, project and region of a command. */
export type DeployTarget = Omit<DeployPlace, "projectNumber">;

export async function locate(target: DeployTarget, { client }: CloudConnection): Promise<DeployPlace | Problem> {
  const project = await findProject(target.project, client);
  return "what" in project ? project : { ...target, ...project };
}

export function openCloud(
  place: DeployPlace,
  { client, waiting }: Pick<CloudConnection, "client" | "waiting">,
  more: { readonly images?: ReadonlyMap<string, PushedImage>; readonly signal?: AbortSignal } = {},
): DeployCloud {
  return new DeployCloud({
    client,
    place,
    sleep: (milliseconds) => setTimeout(milliseconds),
    now: () => Date.now(),
    ...(waiting && { waiting }),
    ...more,
  });
}

/** True if the error's message is meant for users and needs no stack. */
export function isUserError(error: unknown): error is Error {
  return error instanceof CredentialsError || error instanceof LockedError || error instanceof CloudError;
}

/** Returns the message of an error; explains expired credentials. */
export function userErrorText(error: Error, env: Environment): string {
  if (!(error instanceof CloudError) || error.status !== 401) return error.message;
  const renewed = env["CLOUDSDK_AUTH_ACCESS_TOKEN"]
    ? `CLOUDSDK_AUTH_ACCESS_TOKEN has expired or was revoked: set it to what "gcloud auth print-access-token" prints`
    : `the credentials have expired or were revoked: run "gcloud auth application-default login"`;
  return `${renewed}, and run the same command again`;
}
