import { scheduleName } from "../../platform/gcp/names.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** Triggers a service's cron now, without waiting for it to run. */
export async function runNow(
  place: DeployPlace,
  { service, cron }: { readonly service: string; readonly cron: string },
  client: Pick<CloudClient, "call">,
): Promise<void> {
  const job = `projects/${place.project}/locations/${place.region}/jobs/${scheduleName(place, service, cron)}`;
  await client.call({ api: "cloudscheduler", method: "POST", path: `/v1/${job}:run`, body: {} });
}
