import type { Definitions, Platform } from "../contract.ts";
import { readDefinitions, type Kinds } from "../definitions.ts";
import { PendingCalls } from "../pending-calls.ts";
import type { Ports } from "../lifetime.ts";
import { endingWith } from "../ports-until.ts";
import { CloudAccounts } from "./accounts/accounts.ts";
import { identityKeys, idTokens, type IdTokens } from "./accounts/id-token.ts";
import { cloudFor, type Cloud } from "./cloud.ts";
import { Datastore, type StoreTime } from "./entities/datastore.ts";
import { CloudEntities } from "./entities/entities.ts";
import { Reads } from "./entities/reads.ts";
import { openSecrets, type CloudSecrets } from "./keys.ts";
import { CloudLeases } from "./leases.ts";
import { CloudDeadLetters } from "./messages/dead-letters.ts";
import { CloudMessages } from "./messages/messages.ts";
import { CloudObjects } from "./objects/objects.ts";
import { signedURLsOf, type SignedURLs } from "./objects/signed-urls.ts";
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
  const time: StoreTime = { skew: 0 };
  const secret = openSecrets(new Datastore(cloud, place, time));
  const underWay = new PendingCalls();
  const tokens = idTokens(place.project, identityKeys(cloud), () => cloud.clock.now());
  const signed = signedURLsOf(cloud);
  const shared = { place, definitions, kinds: readDefinitions(definitions), time, secret, underWay, tokens, signed };
  const ports = portsOf(shared, { read: cloud, write: cloud });
  const own = told(ports);
  const { outbox, leases, accounts, objects, messages } = ports;
  return {
    ...own,
    deadLetters: new CloudDeadLetters({ cloud, place }),
    clock: cloud.clock,
    secret,
    outbox,
    until(lifetime) {
      underWay.refuseIfClosed();
      const read = cloudFor(lifetime, "read", cloud);
      const write = cloudFor(lifetime, "write", cloud);
      // Bodies that come in are the platform's own, which ends them when it is closed.
      const made: Partial<Record<"read" | "write" | "upload", Ports>> = { upload: own };
      return endingWith(lifetime, (does) => {
        underWay.refuseIfClosed();
        return (made[does] ??= told(portsOf(shared, { read, write: does === "read" ? read : write })));
      });
    },
    close: async () => {
      await outbox.close();
      leases.close();
      await underWay.close();
      accounts.close();
      messages.close();
      await objects.close();
      await cloud.connections.close();
    },
  };
}

/** What all ports of a platform have in common, whoever asks them. */
interface Shared {
  readonly place: Place;
  readonly definitions: Definitions;
  readonly kinds: Kinds;
  readonly time: StoreTime;
  readonly secret: CloudSecrets;
  readonly underWay: PendingCalls;
  readonly tokens: IdTokens;
  readonly signed: SignedURLs;
}

/** The ports on the cloud as it is asked: `read` is for what changes nothing on its way to a write. */
function portsOf(
  { place, definitions, kinds, time, secret, underWay, tokens, signed }: Shared,
  { read, write: cloud }: Readonly<Record<"read" | "write", Cloud>>,
) {
  const datastore = new Datastore(cloud, place, time);
  const messages = new CloudMessages({ cloud, place, definitions });
  const outbox = new Outbox({ datastore, post: (message) => messages.post(message) });
  const looking = new Datastore(read, place, time);
  const reads = new Reads({ datastore: looking, kinds, cursorKey: () => secret("cursor") });
  return {
    entities: new CloudEntities({ datastore, reads, outbox, underWay }),
    leases: new CloudLeases(datastore),
    accounts: new CloudAccounts({
      client: cloud.client,
      project: place.project,
      tokens,
      cursorKey: () => secret("accounts"),
    }),
    objects: new CloudObjects({ cloud, place, definitions }, signed),
    messages,
    outbox,
  };
}

function told({ entities, leases, accounts, objects, messages }: ReturnType<typeof portsOf>): Ports {
  return {
    entities,
    leases,
    accounts: toldByPlatform(accounts),
    objects: toldByPlatform(objects),
    messages: toldByPlatform(messages),
  };
}
