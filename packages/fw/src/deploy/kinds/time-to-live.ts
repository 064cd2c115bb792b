import type { Driver } from "../driver.ts";
import { collectionOf } from "./index.ts";

/** That documents of a kind are deleted some time after they have expired. */
export const timeToLive: Driver = {
  stage: "release",
  api: "firestore",
  read: async ({ id }, cloud) => {
    const field = await cloud.find({ api: "firestore", method: "GET", path: `/v1/${id}` });
    return field?.["ttlConfig"] === undefined ? undefined : field;
  },
  create: async ({ id }, cloud) => {
    const query = { updateMask: "ttlConfig" };
    // Documents that have expired are found by no read, so that nothing waits for the policy.
    await cloud.call({ api: "firestore", method: "PATCH", path: `/v1/${id}`, query, body: { ttlConfig: {} } });
  },
  patch: async () => {},
  normalize: () => ({ expires: true }),
  fixed: [],
  terraform: ({ id }) => [
    {
      type: "google_firestore_field",
      body: { ...collectionOf(id), field: id.split("/").at(-1) ?? "", ttl_config: {} },
    },
  ],
};
