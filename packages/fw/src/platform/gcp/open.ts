import type { Definitions, Platform } from "../contract.ts";
import { readDefinitions, type Kinds } from "../definitions.ts";
import { PendingCalls } from "../pending-calls.ts";
import type { Ports } from "../lifetime.ts";
import { endingWith } from "../ports-until.ts";
import { CloudAccounts } from "./accounts/accounts.ts";
import { identityKeys, idTokens, type IdTokens } from "./accounts/id-token.ts";
import { cloudFor, type Cloud } from "./cloud.ts";
import { BackgroundFill } from "./entities/background-fill.ts";
import { Datastore, type StoreTime } from "./entities/datastore.ts";
import { CloudEntities } from "./entities/entities.ts";
import { IndexRegistry } from "./entities/index-registry.ts";
import { Reads } from "./entities/reads.ts";
import { openSecrets, type CloudSecrets } from "./keys.ts";
import { CloudLeases } from "./leases.ts";
import { CloudDeadLetters } from "./messages/dead-letters.ts";
import { CloudMessages } from "./messages/messages.ts";
import { CloudObjects } from "./objects/objects.ts";
import { signedURLsOf, type SignedURLs } from "./objects/signed-urls.ts";
import { Outbox } from "./outbox.ts";
import type { CloudLocation } from "./cloud-location.ts";
import { hasAccounts, hasMessages, hasObjects, unusedPort } from "../used-ports.ts";
import { withPlatformErrors } from "./rest/platform-error.ts";

export interface CloudPlatform extends Platform {
  /** Returns the application's key for a purpose, the same in all instances. */
  readonly secret: CloudSecrets;
  /** Sends the messages that crashed processes left behind; see `outbox.ts`. */
  readonly outbox: Outbox;
}

/** Opens the platform. Sends no requests before the first operation. */
export async function openGcp(place: CloudLocation, definitions: Definitions, cloud: Cloud): Promise<CloudPlatform> {
  const sharedState = sharedStateOf(place, definitions, cloud);
  const { underWay, secret, fills } = sharedState;
  const ports = portsOf(sharedState, { read: cloud, write: cloud });
  const ownPorts = wrapPorts(ports);
  const { outbox, leases, accounts, objects, messages } = ports;
  return {
    ...ownPorts,
    ...(hasMessages && { deadLetters: new CloudDeadLetters({ cloud, place }) }),
    clock: cloud.clock,
    secret,
    outbox,
    until(lifetime) {
      underWay.refuseIfClosed();
      const read = cloudFor(lifetime, "read", cloud);
      const write = cloudFor(lifetime, "write", cloud);
      // Uploads use the platform's own ports, which abort them when the platform closes.
      const portsByKind: Partial<Record<"read" | "write" | "upload", Ports>> = { upload: ownPorts };
      return endingWith(lifetime, (does) => {
        underWay.refuseIfClosed();
        return (portsByKind[does] ??= wrapPorts(portsOf(sharedState, { read, write: does === "read" ? read : write })));
      });
    },
    close: async () => {
      await Promise.all([hasMessages ? outbox.close() : undefined, fills.close()]);
      leases.close();
      await underWay.close();
      if (hasAccounts) accounts.close();
      if (hasMessages) messages.close();
      if (hasObjects) await objects.close();
      await cloud.connections.close();
    },
  };
}

interface SharedState {
  readonly place: CloudLocation;
  readonly definitions: Definitions;
  readonly kinds: Kinds;
  readonly indexes: IndexRegistry;
  readonly fills: BackgroundFill;
  readonly time: StoreTime;
  readonly secret: CloudSecrets;
  readonly underWay: PendingCalls;
  readonly tokens: IdTokens;
  readonly signed: SignedURLs;
}

function sharedStateOf(place: CloudLocation, definitions: Definitions, cloud: Cloud): SharedState {
  const time: StoreTime = { skew: 0 };
  const datastore = new Datastore(cloud, place, time);
  const kinds = readDefinitions(definitions);
  const indexes = new IndexRegistry(datastore, kinds);
  return {
    place,
    definitions,
    kinds,
    indexes,
    fills: new BackgroundFill(datastore, indexes),
    time,
    secret: openSecrets(datastore),
    underWay: new PendingCalls(),
    tokens: hasAccounts ? idTokens(place.project, identityKeys(cloud), () => cloud.clock.now()) : unusedPort,
    signed: hasObjects ? signedURLsOf(cloud) : unusedPort,
  };
}

/** Creates the ports. `read` is for requests that change nothing, including reads before a write. */
function portsOf(
  { place, definitions, kinds, indexes, fills, time, secret, underWay, tokens, signed }: SharedState,
  { read, write: cloud }: Readonly<Record<"read" | "write", Cloud>>,
) {
  const datastore = new Datastore(cloud, place, time);
  const messages = hasMessages ? new CloudMessages({ cloud, place, definitions }) : unusedPort;
  const outbox = hasMessages ? new Outbox({ datastore, post: (message) => messages.post(message) }) : unusedPort;
  const readOnly = new Datastore(read, place, time);
  const reads = new Reads({
    datastore: readOnly,
    kinds,
    indexes,
    fill: (kind) => fills.start(kind),
    cursorKey: () => secret("cursor"),
  });
  return {
    entities: new CloudEntities({ datastore, reads, indexes, outbox, underWay }),
    leases: new CloudLeases(datastore),
    accounts: hasAccounts
      ? new CloudAccounts({
          client: cloud.client,
          project: place.project,
          tokens,
          cursorKey: () => secret("accounts"),
        })
      : unusedPort,
    objects: hasObjects ? new CloudObjects({ cloud, place, definitions }, signed) : unusedPort,
    messages,
    outbox,
  };
}

function wrapPorts({ entities, leases, accounts, objects, messages }: ReturnType<typeof portsOf>): Ports {
  return {
    entities,
    leases,
    accounts: hasAccounts ? withPlatformErrors(accounts) : unusedPort,
    objects: hasObjects ? withPlatformErrors(objects) : unusedPort,
    messages: hasMessages ? withPlatformErrors(messages) : unusedPort,
  };
}
