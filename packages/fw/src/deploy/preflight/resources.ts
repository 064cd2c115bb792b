import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { driverOf } from "../kinds/drivers.ts";
import { stepOf } from "../plan.ts";
import type { Resource } from "../resource.ts";
import type { Check, Problem } from "./problem.ts";

/** Checks for existing resources with other owners, changes to immutable fields, and names that are too long. */
export const checkResources: Check = async ({ resources }, cloud, { adopt }) => {
  const all = resources(cloud.place);
  if (typeof all === "string") return [{ what: all, todo: ["shorten it, or the name of the environment"] }];
  const problems = await Promise.all(all.filter(canBlock).map((resource) => problemOf(resource, cloud, adopt)));
  return problems.filter((problem) => problem !== undefined);
};

/** True if an existing resource can block a deploy. Domains have a more specific check of their own. */
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
    // Bucket names are global, so a bucket without access belongs to someone else.
    if (resource.kind !== "bucket" || !(error instanceof CloudError) || error.status !== 403) throw error;
    const todo = ["rename the bucket: bucket names are unique across all of Google Cloud"];
    return {
      what: `the bucket name ${resource.id} is taken by another project, or your account has no access to it`,
      todo,
    };
  }
}
