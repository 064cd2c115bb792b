import { isSwitchedOff } from "../switched-off.ts";
import type { Check } from "./problem.ts";

/** Whether APIs can be switched on: a deploy switches on those that it needs, but not the one that does it. */
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
        what: `the project ${project} cannot be told which APIs it needs: its Service Usage API is off`,
        todo: [`switch it on: gcloud services enable serviceusage.googleapis.com --project ${project}`],
      },
    ];
  }
};
