import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { driverOf } from "../kinds/drivers.ts";
import { stepOf } from "../plan.ts";
import type { Resource } from "../resource.ts";
import type { Check, Problem } from "./problem.ts";

/** Whether what is there already is somebody else's, or otherwise than declared in what never changes; and whether names fit. */
export const checkResources: Check = async ({ resources }, cloud, { adopt }) => {
  const all = resources(cloud.place);
  if (typeof all === "string") return [{ what: all, todo: ["shorten it, or the name of the environment"] }];
  const problems = await Promise.all(all.filter(canBlock).map((resource) => problemOf(resource, cloud, adopt)));
  return problems.filter((problem) => problem !== undefined);
};

/** Domains have a check of their own, which says more. */
function canBlock({ kind }: Resource): boolean {
  const driver = driverOf(kind);
  const { fixed, replaces } = driver;
  return kind !== "domain" && (driver.isMarked !== undefined || (fixed.length > 0 && replaces === undefined));
}

async function problemOf(resource: Resource, cloud: DeployCloud, adopt: boolean): Promise<Problem | undefined> {
  try {
    const live = await driverOf(resource.kind).read(resource, cloud);
    const step = stepOf(resource, live, cloud, { adopt });
    if (step.op !== "blocked") return undefined;
    return { what: step.why, todo: ["rename it in the declaration, or deploy to another environment or project"] };
  } catch (error) {
    // Names of buckets are one world's: who may not look at one does not own it.
    if (resource.kind !== "bucket" || !(error instanceof CloudError) || error.status !== 403) throw error;
    const todo = ["give the bucket another name: names of buckets are shared by all projects of Google"];
    return { what: `the name of the bucket ${resource.id} is taken by another project, or it is not for you`, todo };
  }
}
