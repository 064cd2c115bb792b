import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Driver } from "../driver.ts";
import { topOf } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";

/** A queue of Cloud Tasks. It is never removed to be made again: its name is not given out for days. */
export const queue: Driver = {
  stage: "make",
  api: "cloudtasks",
  read: ({ id }, cloud) => cloud.find({ api: "cloudtasks", method: "GET", path: `/v2/${id}` }),
  create: async ({ id, spec }, cloud) => {
    const path = `/v2/${id.replace(/\/[^/]+$/, "")}`;
    await cloud.call({ api: "cloudtasks", method: "POST", path, body: { name: id, ...spec } });
    // A name that was deleted some days ago is answered as if it had been made.
    const made = await cloud.find({ api: "cloudtasks", method: "GET", path: `/v2/${id}` });
    if (made) return;
    const message = `the queue ${id.split("/").at(-1)} was deleted recently: Google gives its name out again after up to 3 days; deploy again then, or name the queue otherwise`;
    throw new CloudError(message, { status: 400, code: "FAILED_PRECONDITION", said: message, unknownEffect: false });
  },
  patch: async ({ id, spec }, _live, changes, cloud) => {
    const query = { updateMask: topOf(changes).join(",") };
    await cloud.call({ api: "cloudtasks", method: "PATCH", path: `/v2/${id}`, query, body: { name: id, ...spec } });
  },
  remove: async (id, cloud) => {
    await cloud.find({ api: "cloudtasks", method: "DELETE", path: `/v2/${id}` });
  },
  normalize: (live) => live,
  fixed: [],
  terraform: ({ id, spec }, { region }) => [
    { type: "google_cloud_tasks_queue", body: { name: id.split("/").at(-1) ?? "", location: region, ...bodyOf(spec) } },
  ],
  keepsData: true,
  notes: (step) =>
    step === "prune"
      ? { forGood: "its tasks are deleted with it, and its name is not given out for up to 3 days" }
      : {},
};
