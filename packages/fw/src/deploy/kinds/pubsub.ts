import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, topOf, type Fields } from "../fields.ts";
import { bodyOf, snake } from "../terraform/terraform-block.ts";
import { changedFields, restDriver } from "./rest-driver.ts";

/** A Pub/Sub subscription that pushes to a service or retains dead letters. */
export const subscription: Driver = restDriver({
  stage: "connect",
  api: "pubsub",
  collection: { in: "project", name: "subscriptions", pageSize: 1000 },
  creation: "put",
  patch: async ({ id, spec }, cloud, from) => {
    const subscription = { name: id, ...changedFields(spec, from) };
    const body = { subscription, updateMask: topOf(from.changes).map(snake).join(",") };
    await cloud.call({ api: "pubsub", method: "PATCH", path: pathIn("pubsub", id), body });
  },
  isRemoved: true,
  normalize: (live) => ({ ...live, expirationPolicy: expires(live) }),
  fixed: ["topic"],
  // An empty TTL means that the subscription never expires.
  terraform: ({ id, spec }) => [
    {
      type: "google_pubsub_subscription",
      body: { name: shortName(id), ...bodyOf({ ...spec, expirationPolicy: { ttl: "" } }) },
    },
  ],
  replaces: "again",
  keepsData: (id) => id.endsWith(".hold"),
  notes: (step) => {
    if (step === "leave") return { costs: "held messages are billed by their size after a day" };
    return step === "replace" ? { downtime: "messages published during the replacement are not delivered" } : {};
  },
});

/**
 * Normalizes the expiration of a subscription: `{}` for never, set by a policy without a TTL. Without a policy, it
 * expires after 31 days.
 */
function expires({ expirationPolicy }: Fields): Fields | string {
  const { ttl } = fieldsOf(expirationPolicy);
  return expirationPolicy === undefined || ttl !== undefined ? "in time" : {};
}

/** A Pub/Sub topic of the application, of events, or of dead letters. */
export const topic: Driver = restDriver({
  stage: "make",
  api: "pubsub",
  collection: { in: "project", name: "topics", pageSize: 1000 },
  creation: "put",
  wrapped: "topic",
  isRemoved: true,
  terraform: ({ id, spec }) => [{ type: "google_pubsub_topic", body: { name: shortName(id), ...bodyOf(spec) } }],
  keepsData: true,
  notes: (step) => (step === "leave" ? { costs: "none while nothing is published" } : {}),
});
