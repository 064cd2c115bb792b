import { systemClock } from "../clock.ts";
import type { Clock } from "../contract.ts";
import { clientUntil, openClient, type CloudClient } from "./rest/client.ts";
import { Connections } from "./rest/connections.ts";
import type { Lifetime } from "../lifetime.ts";
import { readEndpoints, type Api, type Endpoint } from "./rest/endpoints.ts";
import { readHosts, type Hosts } from "./rest/hosts.ts";
import { metadataIdentity, type CloudIdentity } from "./rest/identity.ts";
import { readMetadata, type Metadata } from "./rest/metadata.ts";

/** Google Cloud, as this process reaches it. */
export interface Cloud {
  readonly client: CloudClient;
  readonly identity: CloudIdentity;
  readonly metadata: Metadata;
  readonly endpointOf: (api: Api) => Endpoint;
  /** Where other hosts are: key sets, other services. */
  readonly hosts: Hosts;
  readonly connections: Connections;
  readonly clock: Clock;
  /** How long somebody waits for what is called; absent for what is called in nobody's name. */
  readonly lifetime?: Lifetime;
}

/** The same cloud for a lifetime: for reads, which end with it, or for writes, which are not made again after it. */
export function cloudFor(lifetime: Lifetime, does: "read" | "write", cloud: Cloud): Cloud {
  const { signal } = lifetime;
  return {
    ...cloud,
    lifetime,
    client: clientUntil(cloud.client, does === "read" ? { signal } : { triesUntil: signal }),
  };
}

/** Nothing is asked before the first call. */
export function connectCloud(env: Readonly<Record<string, string | undefined>>, clock: Clock = systemClock): Cloud {
  const connections = new Connections();
  const metadata = readMetadata(env, connections);
  const identity = metadataIdentity(metadata, clock);
  const endpointOf = readEndpoints(env);
  const client = openClient({ connections, endpointOf, identity });
  return { client, identity, metadata, endpointOf, hosts: readHosts(env), connections, clock };
}
