import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { isDescribed } from "./ownership-marks.ts";
import { restDriver } from "./rest-driver.ts";

/** A Cloud Scheduler job that triggers a service's cron. */
export const schedule: Driver = restDriver({
  stage: "connect",
  api: "cloudscheduler",
  collection: { in: "region", name: "jobs", pageSize: 500 },
  isRemoved: true,
  revives: { field: "state", verb: "resume" },
  // Google disables a job after an error. Such a job is not paused, so there is nothing to resume.
  normalize: (live) => ({ ...live, state: live["state"] === "PAUSED" ? "PAUSED" : "ENABLED" }),
  terraform: ({ id, spec }, { region }) => [
    { type: "google_cloud_scheduler_job", body: { name: shortName(id), region, ...bodyOf(spec) } },
  ],
  isMarked: isDescribed,
});
