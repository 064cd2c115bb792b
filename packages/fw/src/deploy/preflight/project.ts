import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { textOf, type Fields } from "../fields.ts";
import { isSwitchedOff } from "../switched-off.ts";
import type { Problem } from "./problem.ts";

/** Returns the project's number, or the reason why a deploy to it is impossible. */
export async function findProject(
  project: string,
  client: Pick<CloudClient, "call">,
): Promise<{ readonly projectNumber: string } | Problem> {
  try {
    const live = await client.call<Fields>({
      api: "cloudresourcemanager",
      method: "GET",
      path: `/v3/projects/${project}`,
    });
    const number = textOf(live["name"]).replace("projects/", "");
    if (live["state"] === "ACTIVE") return { projectNumber: number };
    return { what: `the project ${project} is ${textOf(live["state"])}`, todo: ["choose another with --project"] };
  } catch (error) {
    if (!(error instanceof CloudError) || ![400, 403, 404].includes(error.status)) throw error;
    if (isSwitchedOff(error)) {
      const enable = `gcloud services enable cloudresourcemanager.googleapis.com serviceusage.googleapis.com --project ${project}`;
      return {
        what: `cannot read the project ${project}: its Cloud Resource Manager API is disabled`,
        todo: [`enable it: ${enable}`],
      };
    }
    const todo = [`check its id and your access at https://console.cloud.google.com/home/dashboard?project=${project}`];
    return {
      what: `the project ${project} does not exist or your account has no access to it (${error.serverMessage || error.code})`,
      todo,
    };
  }
}
