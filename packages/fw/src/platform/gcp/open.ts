import type { Definitions, Platform } from "../contract.ts";
import { readDefinitions } from "../definitions.ts";
import { CloudAccounts } from "./accounts/accounts.ts";
import { identityKeys, idTokens } from "./accounts/id-token.ts";
import type { Cloud } from "./cloud.ts";
import { Datastore } from "./entities/datastore.ts";
import { CloudEntities } from "./entities/entities.ts";
import { Reads } from "./entities/reads.ts";
import { openSecrets, type CloudSecrets } from "./keys.ts";
import { CloudLeases } from "./leases.ts";
import { CloudDeadLetters } from "./messages/dead-letters.ts";
import { CloudMessages } from "./messages/messages.ts";
import { CloudObjects } from "./objects/objects.ts";
import { Outbox } from "./outbox.ts";
import type { Place } from "./place.ts";
import { toldByPlatform } from "./rest/platform-error.ts";

/** The platform of an application on Google Cloud. */
export interface CloudPlatform extends Platform {
  /** A key of the application, the same in all of its instances. */
  readonly secret: CloudSecrets;
  /** Messages of transactions that were left behind; see `outbox.ts`. */
  readonly outbox: Outbox;
}

/** Opens the platform. Nothing is asked of the cloud before the first operation. */
export async function openGcp(place: Place, definitions: Definitions, cloud: Cloud): Promise<CloudPlatform> {
  const kinds = readDefinitions(definitions);
  const datastore = new Datastore(cloud, place);
  const secret = openSecrets(datastore);
  const leases = new CloudLeases(datastore);
  const parts = { cloud, place, definitions };
  const objects = new CloudObjects(parts);
  const messages = new CloudMessages(parts);
  const outbox = new Outbox({ datastore, post: (message) => messages.post(message) });
  const reads = new Reads({ datastore, kinds, cursorKey: () => secret("cursor") });
  const entities = new CloudEntities({ datastore, reads, outbox });
  const accounts = new CloudAccounts({
    client: cloud.client,
    project: place.project,
    tokens: idTokens(place.project, identityKeys(cloud), () => cloud.clock.now()),
    cursorKey: () => secret("accounts"),
  });
  return {
    entities,
    leases,
    accounts: toldByPlatform(accounts),
    objects: toldByPlatform(objects),
    messages: toldByPlatform(messages),
    deadLetters: new CloudDeadLetters(parts),
    clock: cloud.clock,
    secret,
    outbox,
    close: async () => {
      await outbox.close();
      leases.close();
      await entities.close();
      accounts.close();
      messages.close();
      await objects.close();
      await cloud.connections.close();
    },
  };
}
