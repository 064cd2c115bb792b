import { markOf } from "../../platform/gcp/names.ts";
import type { Driver } from "../driver.ts";
import { topOf } from "../fields.ts";
import { isMarkedText, textOf } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

/** A job of Cloud Scheduler: triggers a cron of a service. */
export const schedule: Driver = {
  stage: "connect",
  api: "cloudscheduler",
  read: ({ id }, cloud) => cloud.find({ api: "cloudscheduler", method: "GET", path: `/v1/${id}` }),
  list: async (cloud) => {
    const path = `/v1/projects/${cloud.place.project}/locations/${cloud.place.region}/jobs`;
    const all = await cloud.all({ api: "cloudscheduler", method: "GET", path, query: { pageSize: 500 } }, "jobs");
    return all
      .filter(({ description }) => isMarkedText(description, markOf(cloud.place)))
      .map(({ name }) => textOf(name));
  },
  create: async ({ id, spec }, cloud) => {
    const path = `/v1/${id.replace(/\/[^/]+$/, "")}`;
    await cloud.call({ api: "cloudscheduler", method: "POST", path, body: { name: id, ...spec } });
  },
  patch: async ({ id, spec }, _live, changes, cloud) => {
    const query = { updateMask: topOf(changes).join(",") };
    await cloud.call({ api: "cloudscheduler", method: "PATCH", path: `/v1/${id}`, query, body: { name: id, ...spec } });
  },
  remove: async (id, cloud) => {
    await cloud.find({ api: "cloudscheduler", method: "DELETE", path: `/v1/${id}` });
  },
  normalize: (live) => live,
  fixed: [],
  terraform: ({ id, spec }, { region }) => [
    { type: "google_cloud_scheduler_job", body: { name: id.split("/").at(-1) ?? "", region, ...bodyOf(spec) } },
  ],
  isMarked: ({ description }, place) => isMarkedText(description, markOf(place)),
};
