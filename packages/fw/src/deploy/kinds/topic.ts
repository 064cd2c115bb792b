import { bodyOf } from "../terraform/written.ts";
import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { labelled } from "./marked.ts";
import { restDriver } from "./rest-driver.ts";

/** A topic of Pub/Sub: of the application, of events, or of dead letters. */
export const topic: Driver = restDriver({
  stage: "make",
  api: "pubsub",
  collection: { in: "project", name: "topics", pageSize: 1000 },
  made: "put",
  patch: async ({ id, spec }, cloud, { live }) => {
    const body = { topic: { name: id, labels: labelled(spec, live) }, updateMask: "labels" };
    await cloud.call({ api: "pubsub", method: "PATCH", path: pathIn("pubsub", id), body });
  },
  isRemoved: true,
  terraform: ({ id, spec }) => [{ type: "google_pubsub_topic", body: { name: shortName(id), ...bodyOf(spec) } }],
  keepsData: true,
});
