import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/written.ts";
import { createNamed, restDriver } from "./rest-driver.ts";

/** A queue of Cloud Tasks. It is never removed to be made again: its name is not given out for days. */
export const queue: Driver = restDriver({
  stage: "make",
  api: "cloudtasks",
  create: async (resource, cloud) => {
    await createNamed("cloudtasks", resource, cloud);
    // A name that was deleted some days ago is answered as if it had been made.
    if (await queue.read(resource, cloud)) return;
    const message = `the queue ${shortName(resource.id)} was deleted recently: Google gives its name out again after up to 3 days; deploy again then, or name the queue otherwise`;
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
      ? { forGood: "its tasks are deleted with it, and its name is not given out for up to 3 days" }
      : step === "leave"
        ? { costs: "nothing while it has no tasks" }
        : {},
});
