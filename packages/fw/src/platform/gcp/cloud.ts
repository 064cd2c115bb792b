import { systemClock } from "../clock.ts";
import type { Clock } from "../contract.ts";
import { openClient, type CloudClient } from "./rest/client.ts";
import { Connections } from "./rest/connections.ts";
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
