import type { Driver } from "../driver.ts";
import { hasLabels, labelled, named } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

/** A topic of Pub/Sub: of the application, of events, or of dead letters. */
export const topic: Driver = {
  stage: "make",
  api: "pubsub",
  read: ({ id }, cloud) => cloud.find({ api: "pubsub", method: "GET", path: `/v1/${id}` }),
  list: async (cloud) => {
    const path = `/v1/projects/${cloud.place.project}/topics`;
    return named(
      await cloud.all({ api: "pubsub", method: "GET", path, query: { pageSize: 1000 } }, "topics"),
      cloud.place,
    );
  },
  create: async ({ id, spec }, cloud) => {
    await cloud.call({ api: "pubsub", method: "PUT", path: `/v1/${id}`, body: spec });
  },
  patch: async ({ id, spec }, live, _changes, cloud) => {
    const body = { topic: { name: id, labels: labelled(spec, live) }, updateMask: "labels" };
    await cloud.call({ api: "pubsub", method: "PATCH", path: `/v1/${id}`, body });
  },
  remove: async (id, cloud) => {
    await cloud.find({ api: "pubsub", method: "DELETE", path: `/v1/${id}` });
  },
  normalize: (live) => live,
  fixed: [],
  terraform: ({ id, spec }) => [
    { type: "google_pubsub_topic", body: { name: id.split("/").at(-1) ?? "", ...bodyOf(spec) } },
  ],
  keepsData: true,
  isMarked: (live, place) => hasLabels(live, place),
};
