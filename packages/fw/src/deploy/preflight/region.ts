import type { Check } from "./problem.ts";
import { textOf } from "../fields.ts";

/** Checks that Cloud Run supports the region. Skipped while its API is disabled. */
export const checkRegion: Check = async (_, cloud) => {
  const { project, region } = cloud.place;
  const path = `/v1/projects/${project}/locations`;
  const all = await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 500 } }, "locations");
  const regions = all.map(({ locationId }) => textOf(locationId)).toSorted();
  if (regions.length === 0 || regions.includes(region)) return [];
  return [
    { what: `Cloud Run is not available in the region ${region}`, todo: [`deploy to one of ${regions.join(", ")}`] },
  ];
};
