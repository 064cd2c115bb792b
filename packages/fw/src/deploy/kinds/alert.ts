import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/written.ts";
import { monitored } from "./monitored.ts";

/** What is watched, and who is told. */
export const alert: Driver = monitored("alertPolicies", "connect", ({ spec }) => [
  { type: "google_monitoring_alert_policy", body: bodyOf(spec) },
]);
