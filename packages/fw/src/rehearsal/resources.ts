import { apply } from "../deploy/apply.ts";
import { openCloud } from "../deploy/connect.ts";
import { lockClock } from "../deploy/deploy.ts";
import { describe } from "../deploy/describe.ts";
import { desired } from "../deploy/desired/desired.ts";
import { planOf } from "../deploy/plan.ts";
import type { Kind, Resource } from "../deploy/resource.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import type { Deployed } from "./deployed.ts";

/** What a deploy makes that a rehearsal has in another way: processes of this machine are the services, and nobody is told of alerts. */
const elsewhere: ReadonlySet<Kind> = new Set([
  "alert",
  "channel",
  "domain",
  "image",
  "image-repository",
  "job",
  "service",
  "traffic",
]);

/** Makes, by way of deploy's own plan, what the services of an application find in their cloud, with the grants that they have there. */
export async function makeResources({ manifest, place }: Deployed, client: CloudClient): Promise<void> {
  const cloud = openCloud(place, { client });
  const resources = desired({ manifest, place, images: {} }).filter(isRehearsed).map(forThisMachine);
  const outcomes = await apply(await planOf(resources, cloud), { cloud, now: lockClock.now });
  const failed = outcomes.find(({ state }) => state === "failed");
  if (failed !== undefined)
    throw new Error(`the rehearsal has no ${describe(failed.step).title}`, { cause: failed.error });
}

/** Secrets are handed to the processes themselves, so that there are none to be granted. */
function isRehearsed({ kind, id }: Resource): boolean {
  return !elsewhere.has(kind) && !id.startsWith("//secretmanager.");
}

/** Pages of the application are at an origin of this machine here, from which browsers use signed URLs. */
function forThisMachine(resource: Resource): Resource {
  const { cors } = resource.spec;
  if (resource.kind !== "bucket" || !Array.isArray(cors)) return resource;
  return {
    ...resource,
    spec: { ...resource.spec, cors: cors.map((rule) => ({ ...(rule as object), origin: ["*"] })) },
  };
}
