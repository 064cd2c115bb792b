import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, topOf, type Fields } from "../fields.ts";
import { bodyOf, snake } from "../terraform/written.ts";
import { changed, restDriver } from "./rest-driver.ts";

/** A subscription of Pub/Sub: pushes to a service, or holds dead letters. */
export const subscription: Driver = restDriver({
  stage: "connect",
  api: "pubsub",
  collection: { in: "project", name: "subscriptions", pageSize: 1000 },
  made: "put",
  patch: async ({ id, spec }, cloud, from) => {
    const subscription = { name: id, ...changed(spec, from) };
    const body = { subscription, updateMask: topOf(from.changes).map(snake).join(",") };
    await cloud.call({ api: "pubsub", method: "PATCH", path: pathIn("pubsub", id), body });
  },
  isRemoved: true,
  normalize: (live) => ({ ...live, expirationPolicy: expires(live) }),
  fixed: ["topic"],
  // Without a time it never ends.
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
    return step === "replace" ? { downtime: "messages that come meanwhile are not brought" } : {};
  },
});

/** A policy without a time is one that never ends it, and no policy is one of 31 days. */
function expires({ expirationPolicy }: Fields): Fields | string {
  const { ttl } = fieldsOf(expirationPolicy);
  return expirationPolicy === undefined || ttl !== undefined ? "in time" : {};
}
