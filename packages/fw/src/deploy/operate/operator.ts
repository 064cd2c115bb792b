import { randomUUID } from "node:crypto";
import { systemClock } from "../../platform/clock.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import type { Cloud } from "../../platform/gcp/cloud.ts";
import { HeldDeadLetters } from "../../platform/gcp/messages/retained-dead-letters.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { openGcp } from "../../platform/gcp/open.ts";
import { readEndpoints } from "../../platform/gcp/rest/endpoints.ts";
import type { Destination, HeldMessages, Messages } from "../../platform/messages.ts";
import type { Connected } from "../connect.ts";
import type { DeployPlace } from "../place.ts";

/** What a deployed application keeps, for whoever operates it. */
export interface Operator {
  readonly platform: Platform;
  readonly held: HeldMessages;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the platform of a deployed application as its own services do, in the name of whoever operates it. */
export async function openOperator(
  place: DeployPlace,
  definitions: Definitions,
  connected: Connected,
  env: Environment,
): Promise<Operator> {
  const cloud = operatorCloud(connected, env);
  const at = { ...place, service: "", database: databaseName(place) };
  const opened = await openGcp(at, definitions, cloud);
  const platform = { ...opened, messages: heard(opened.messages, definitions) };
  return { platform, held: new HeldDeadLetters({ cloud, place: at, definitions }) };
}

/** An event that nobody subscribes to has no topic, and keeps nothing. */
function heard(messages: Messages, { consumers = [] }: Definitions): Messages {
  const isHeard = ({ kind, name }: Destination): boolean =>
    kind !== "event" || consumers.some(({ destination }) => destination.kind === kind && destination.name === name);
  return {
    send: async (destination, message) => (isHeard(destination) ? messages.send(destination, message) : randomUUID()),
  };
}

function operatorCloud({ client, credentials, hosts, connections }: Connected, env: Environment): Cloud {
  return {
    client,
    identity: credentials.identity,
    // Where it works is said, and not found out.
    metadata: () => Promise.reject(new Error("an operator has no metadata server")),
    endpointOf: readEndpoints(env),
    hosts,
    connections,
    clock: systemClock,
  };
}
