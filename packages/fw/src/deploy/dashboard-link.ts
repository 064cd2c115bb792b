import * as names from "../platform/gcp/names.ts";
import { shortName } from "./api-path.ts";
import type { DeployCloud } from "./driver.ts";
import { placeholders } from "./placeholders.ts";

/** Returns the URL of the application's dashboard in Google's console; undefined before a deploy has created it. */
export function dashboardLink({ place, values }: Pick<DeployCloud, "place" | "values">): string | undefined {
  const name = values.get(placeholders.dashboard(names.namespaceOf(place)));
  if (name === undefined) return undefined;
  return `https://console.cloud.google.com/monitoring/dashboards/builder/${shortName(name)}?project=${place.project}`;
}
