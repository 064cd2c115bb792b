import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { monitored } from "./monitored.ts";

export const alert: Driver = monitored("alertPolicies", "connect", ({ spec }) => [
  { type: "google_monitoring_alert_policy", body: bodyOf(spec) },
]);
