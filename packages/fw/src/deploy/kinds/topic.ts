import { bodyOf } from "../terraform/terraform-block.ts";
import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { restDriver } from "./rest-driver.ts";

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
  notes: (step) => (step === "leave" ? { costs: "nothing while nothing is published" } : {}),
});
