import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { createNamed, restDriver } from "./rest-driver.ts";

/** A Cloud Tasks queue. Never replaced, because the name of a deleted queue stays blocked for days. */
export const queue: Driver = restDriver({
  stage: "make",
  api: "cloudtasks",
  create: async (resource, cloud) => {
    await createNamed("cloudtasks", resource, cloud);
    // If the name was deleted recently, the API responds as if it had created the queue.
    if (await queue.read(resource, cloud)) return;
    const message = `the queue ${shortName(resource.id)} was deleted recently, and Google blocks its name for up to 3 days; deploy again then, or rename the queue`;
    throw new CloudError(message, {
      status: 400,
      code: "FAILED_PRECONDITION",
      serverMessage: message,
      unknownEffect: false,
    });
  },
  isRemoved: true,
  revives: { field: "state", verb: "resume" },
  terraform: ({ id, spec }, { region }) => [
    { type: "google_cloud_tasks_queue", body: { name: shortName(id), location: region, ...bodyOf(spec) } },
  ],
  keepsData: true,
  notes: (step) =>
    step === "prune"
      ? { forGood: "its tasks are deleted with it, and its name is blocked for up to 3 days" }
      : step === "leave"
        ? { costs: "none while it has no tasks" }
        : {},
});
