import { systemClock } from "../clock.ts";
import type { Clock } from "../contract.ts";
import { clientUntil, openClient, type CloudClient } from "./rest/client.ts";
import { Connections } from "./rest/connections.ts";
import type { Lifetime } from "../lifetime.ts";
import type { ProjectLocation } from "./cloud-location.ts";
import { readEndpoints, type Api, type Endpoint } from "./rest/endpoints.ts";
import { readHosts, type Hosts } from "./rest/hosts.ts";
import { metadataIdentity, type CloudIdentity } from "./rest/identity.ts";
import { readMetadata, type Metadata } from "./rest/metadata.ts";
import { CloudError } from "./rest/cloud-error.ts";

export interface Cloud {
  readonly client: CloudClient;
  readonly identity: CloudIdentity;
  readonly metadata: Metadata;
  /** Reads the project and region of this process from the metadata server. */
  readonly readLocation: () => Promise<ProjectLocation>;
  readonly endpointOf: (api: Api) => Endpoint;
  /** Maps other hosts, such as hosts of key sets and services, to network targets. */
  readonly hosts: Hosts;
  readonly connections: Connections;
  readonly clock: Clock;
  /** The caller's lifetime; absent for the platform's own calls. */
  readonly lifetime?: Lifetime;
}

/**
 * Binds the cloud's client to a lifetime. When the lifetime ends, calls of a "read" client are aborted, and calls of a
 * "write" client are no longer retried.
 */
export function cloudFor(lifetime: Lifetime, kind: "read" | "write", cloud: Cloud): Cloud {
  const { signal } = lifetime;
  return {
    ...cloud,
    lifetime,
    client: clientUntil(cloud.client, kind === "read" ? { signal } : { triesUntil: signal }),
  };
}

/** Creates the clients for Google Cloud. Sends nothing before the first call. */
export function connectCloud(env: Readonly<Record<string, string | undefined>>, clock: Clock = systemClock): Cloud {
  const connections = new Connections();
  const metadata = readMetadata(env, connections);
  const identity = metadataIdentity(metadata, clock);
  const endpointOf = readEndpoints(env);
  const client = openClient({ connections, endpointOf, identity });
  const readLocation = (): Promise<ProjectLocation> => readMetadataLocation(metadata);
  return { client, identity, metadata, readLocation, endpointOf, hosts: readHosts(env), connections, clock };
}

/** Reads the project and region of this process from the metadata server. */
async function readMetadataLocation(metadata: Metadata): Promise<ProjectLocation> {
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
  // `projects/123/regions/europe-west1`
  return { project, projectNumber, region: region.slice(region.lastIndexOf("/") + 1) };
}
