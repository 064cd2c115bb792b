import type { Driver } from "../driver.ts";
import { textOf } from "../fields.ts";
import { placeholders } from "../placeholders.ts";
import { monitored } from "./monitored.ts";

/** The dashboard of an application in Cloud Monitoring, which assigns its name. */
export const dashboard: Driver = monitored(
  "dashboards",
  "connect",
  ({ spec }) => [{ type: "google_monitoring_dashboard", body: { dashboard_json: JSON.stringify(spec) } }],
  (title, live, { values }) => {
    values.set(placeholders.dashboard(title), textOf(live["name"]));
  },
);
