import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { collectionGroupOf } from "./index.ts";
import { restDriver } from "./rest-driver.ts";

/** A TTL policy, which deletes the expired documents of a kind. */
export const timeToLive: Driver = restDriver({
  stage: "release",
  api: "firestore",
  read: async ({ id }, cloud) => {
    const field = await cloud.find({ api: "firestore", method: "GET", path: pathIn("firestore", id) });
    return field?.["ttlConfig"] === undefined ? undefined : field;
  },
  create: async ({ id }, cloud) => {
    const query = { updateMask: "ttlConfig" };
    const path = pathIn("firestore", id);
    // Reads already skip expired documents, so nothing waits for the policy.
    await cloud.call({ api: "firestore", method: "PATCH", path, query, body: { ttlConfig: {} } });
  },
  patch: async () => {},
  normalize: () => ({ expires: true }),
  terraform: ({ id }) => [
    { type: "google_firestore_field", body: { ...collectionGroupOf(id), field: shortName(id), ttl_config: {} } },
  ],
});
