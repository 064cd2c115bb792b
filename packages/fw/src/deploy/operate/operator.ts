import { randomUUID } from "node:crypto";
import { systemClock } from "../../platform/clock.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import type { Cloud } from "../../platform/gcp/cloud.ts";
import { HeldDeadLetters } from "../../platform/gcp/messages/retained-dead-letters.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { openGcp } from "../../platform/gcp/open.ts";
import { readEndpoints } from "../../platform/gcp/rest/endpoints.ts";
import type { Destination, Messages } from "../../platform/messages.ts";
import type { CloudConnection } from "../connect.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** Provides operators with access to the data of a deployed application. */
export interface Operator {
  readonly platform: Platform;
  readonly deadMessages: HeldDeadLetters;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the platform of a deployed application with the operator's credentials. */
export async function openOperator(
  place: DeployPlace,
  definitions: Definitions,
  connected: CloudConnection,
  env: Environment,
): Promise<Operator> {
  const cloud = operatorCloud(connected, env);
  const at = { ...place, service: "", database: databaseName(place) };
  const cloudPlatform = await openGcp(at, definitions, cloud);
  const platform = { ...cloudPlatform, messages: withoutUnheardEvents(cloudPlatform.messages, definitions) };
  return { platform, deadMessages: new HeldDeadLetters({ cloud, place: at, definitions }) };
}

/** Drops events without subscribers, which have no topic. */
function withoutUnheardEvents(messages: Messages, { consumers = [] }: Definitions): Messages {
  const isHeard = ({ kind, name }: Destination): boolean =>
    kind !== "event" || consumers.some(({ destination }) => destination.kind === kind && destination.name === name);
  return {
    send: async (destination, message) => (isHeard(destination) ? messages.send(destination, message) : randomUUID()),
  };
}

/** Rejects, because the operator's target is explicit, so no metadata server is needed. */
const noMetadata = (): Promise<never> => Promise.reject(new Error("an operator has no metadata server"));

function operatorCloud({ client, credentials, hosts, connections }: CloudConnection, env: Environment): Cloud {
  return {
    client,
    identity: credentials.identity,
    metadata: noMetadata,
    readLocation: noMetadata,
    endpointOf: readEndpoints(env),
    hosts,
    connections,
    clock: systemClock,
  };
}
