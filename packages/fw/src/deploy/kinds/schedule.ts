import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/written.ts";
import { isDescribed } from "./marked.ts";
import { restDriver } from "./rest-driver.ts";

/** A job of Cloud Scheduler: triggers a cron of a service. */
export const schedule: Driver = restDriver({
  stage: "connect",
  api: "cloudscheduler",
  collection: { in: "region", name: "jobs", pageSize: 500 },
  isRemoved: true,
  revives: { field: "state", verb: "resume" },
  // Google disables one itself after an error: there is nothing to resume then.
  normalize: (live) => ({ ...live, state: live["state"] === "PAUSED" ? "PAUSED" : "ENABLED" }),
  terraform: ({ id, spec }, { region }) => [
    { type: "google_cloud_scheduler_job", body: { name: shortName(id), region, ...bodyOf(spec) } },
  ],
  isMarked: isDescribed,
});
