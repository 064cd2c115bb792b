import { apply } from "../deploy/apply.ts";
import { openCloud } from "../deploy/connect.ts";
import { lockClock } from "../deploy/deploy.ts";
import { describe } from "../deploy/describe.ts";
import { desired } from "../deploy/desired/desired.ts";
import { planOf } from "../deploy/plan.ts";
import type { Kind, Resource } from "../deploy/resource.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import type { RehearsedApp } from "./rehearsed-app.ts";

/** Kinds that a rehearsal replaces or skips: services are processes of this machine, and alerts notify no one. */
const skippedKinds: ReadonlySet<Kind> = new Set([
  "alert",
  "channel",
  "domain",
  "image",
  "image-repository",
  "job",
  "service",
  "traffic",
]);

/** Creates the cloud resources of an application, with their grants, through deploy's own plan. */
export async function makeResources({ manifest, place }: RehearsedApp, client: CloudClient): Promise<void> {
  const cloud = openCloud(place, { client });
  const resources = desired({ manifest, place, images: {} }).filter(isRehearsed).map(forThisMachine);
  const outcomes = await apply(await planOf(resources, cloud), { cloud, now: lockClock.now });
  const failure = outcomes.find(({ state }) => state === "failed");
  if (failure !== undefined)
    throw new Error(`the rehearsal could not create ${describe(failure.step).title}`, { cause: failure.error });
}

/** Processes receive secrets directly, so grants on them are not needed. */
function isRehearsed({ kind, id }: Resource): boolean {
  return !skippedKinds.has(kind) && !id.startsWith("//secretmanager.");
}

/** Allows all origins to use signed URLs, because pages have an origin of this machine. */
function forThisMachine(resource: Resource): Resource {
  const { cors } = resource.spec;
  if (resource.kind !== "bucket" || !Array.isArray(cors)) return resource;
  return {
    ...resource,
    spec: { ...resource.spec, cors: cors.map((rule) => ({ ...(rule as object), origin: ["*"] })) },
  };
}
