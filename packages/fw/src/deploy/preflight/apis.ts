import { isSwitchedOff } from "../switched-off.ts";
import type { Check } from "./problem.ts";

/** Checks that the Service Usage API is enabled: a deploy uses it to enable all others. */
export const checkApis: Check = async (_, cloud) => {
  const { project } = cloud.place;
  try {
    const path = `/v1/projects/${project}/services/run.googleapis.com`;
    await cloud.call({ api: "serviceusage", method: "GET", path });
    return [];
  } catch (error) {
    if (!isSwitchedOff(error)) throw error;
    return [
      {
        what: `fw cannot enable APIs in the project ${project}: its Service Usage API is disabled`,
        todo: [`enable it: gcloud services enable serviceusage.googleapis.com --project ${project}`],
      },
    ];
  }
};
