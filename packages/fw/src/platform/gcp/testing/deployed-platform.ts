import type { Clock, Definitions, Platform } from "../../contract.ts";
import { topicName } from "../names.ts";
import { openGcp } from "../open.ts";
import { makeTopic } from "./deployed-delivery.ts";
import { makeBucket, onFake } from "./fake.ts";
import { PushedDispatcher } from "./pushed-dispatcher.ts";

/** The application's destinations without a consumer. */
const unheard = [
  { kind: "topic", name: "other" },
  { kind: "event", name: "auth.registered" },
] as const;

/** Opens the whole platform on a new fake cloud, with all resources that a deployment creates for these definitions. */
export async function deployedPlatform(definitions: Definitions, clock?: Clock): Promise<Platform> {
  const on = await onFake(clock);
  for (const role of ["roles/datastore.user", "roles/firebaseauth.admin"])
    on.fake.grant(`serviceAccount:${on.account}`, role);
  for (const bucket of definitions.buckets ?? []) await makeBucket(on, bucket);
  const platform = await openGcp(on.place, definitions, on.cloud);
  if (definitions.consumers === undefined) return platform;
  for (const destination of unheard) await makeTopic(on, topicName(on.place, destination));
  const dispatcher = await PushedDispatcher.open(on, { ...on, definitions });
  return { ...platform, dispatcher };
}
