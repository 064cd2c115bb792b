import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import type { Fields } from "../fields.ts";
import type { Check } from "./problem.ts";

/**
 * Checks that the project has a billing account. If that cannot be read, an enabled Cloud Run API proves it, because it
 * needs billing.
 */
export const checkBilling: Check = async (_, cloud) => {
  const { project } = cloud.place;
  const todo = [`link one at https://console.cloud.google.com/billing/linkedaccount?project=${project}`];
  try {
    const path = `/v1/projects/${project}/billingInfo`;
    const { billingEnabled } = await cloud.call<Fields>({ api: "cloudbilling", method: "GET", path });
    if (billingEnabled === true) return [];
    return [{ what: `the project ${project} has no billing account, so nothing can run in it`, todo }];
  } catch (error) {
    if (!(error instanceof CloudError) || error.status !== 403) throw error;
    if (await isRunOn(cloud)) return [];
    const what = `cannot check whether the project ${project} has a billing account (${error.serverMessage})`;
    return [{ what, todo: [`if it has none, ${todo[0]}`], warns: true }];
  }
};

async function isRunOn(cloud: DeployCloud): Promise<boolean> {
  const path = `/v1/projects/${cloud.place.project}/services/run.googleapis.com`;
  const live = await cloud.find({ api: "serviceusage", method: "GET", path });
  return live?.["state"] === "ENABLED";
}
