import type { Driver } from "../driver.ts";
import { topOf, type Fields } from "../fields.ts";
import { fieldsOf, hasLabels, labelled, named } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

/** A subscription of Pub/Sub: pushes to a service, or holds dead letters. */
export const subscription: Driver = {
  stage: "connect",
  api: "pubsub",
  read: ({ id }, cloud) => cloud.find({ api: "pubsub", method: "GET", path: `/v1/${id}` }),
  list: async (cloud) => {
    const path = `/v1/projects/${cloud.place.project}/subscriptions`;
    const query = { pageSize: 1000 };
    return named(await cloud.all({ api: "pubsub", method: "GET", path, query }, "subscriptions"), cloud.place);
  },
  create: async ({ id, spec }, cloud) => {
    await cloud.call({ api: "pubsub", method: "PUT", path: `/v1/${id}`, body: spec });
  },
  patch: async ({ id, spec }, live, changes, cloud) => {
    const fields = topOf(changes);
    const changed = Object.entries({ ...spec, labels: labelled(spec, live) }).filter(([name]) => fields.includes(name));
    const body = {
      subscription: { name: id, ...Object.fromEntries(changed) },
      updateMask: fields.map(snake).join(","),
    };
    await cloud.call({ api: "pubsub", method: "PATCH", path: `/v1/${id}`, body });
  },
  remove: async (id, cloud) => {
    await cloud.find({ api: "pubsub", method: "DELETE", path: `/v1/${id}` });
  },
  normalize: (live) => ({ ...live, expirationPolicy: expires(live) }),
  fixed: ["topic"],
  terraform: ({ id, spec }) => [
    {
      type: "google_pubsub_subscription",
      // Without a time it never ends.
      body: { name: id.split("/").at(-1) ?? "", ...bodyOf({ ...spec, expirationPolicy: { ttl: "" } }) },
    },
  ],
  replaces: "again",
  isMarked: (live, place) => hasLabels(live, place),
  keepsData: (id) => id.endsWith(".hold"),
  notes: (step) => (step === "replace" ? { downtime: "messages that come meanwhile are not brought" } : {}),
};

/** A policy without a time is one that never ends it, and no policy is one of 31 days. */
function expires({ expirationPolicy }: Fields): Fields | string {
  const { ttl } = fieldsOf(expirationPolicy);
  return expirationPolicy === undefined || ttl !== undefined ? "in time" : {};
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
