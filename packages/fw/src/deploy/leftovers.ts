import { imageName, imageRepository, stateBucketName } from "../platform/gcp/names.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { regionOf } from "./desired/resource-inputs.ts";
import { driverOf } from "./kinds/drivers.ts";
import type { Kind } from "./resource.ts";

/** A resource that `fw destroy` keeps because other applications may share it. */
export interface Leftover {
  readonly what: string;
  readonly costs: string;
  /** The command or console page that removes it; absent if it need not be removed. */
  readonly remove?: string;
}

/** Returns the project's resources that `fw destroy` never removes and that may cost something. */
export async function leftoversIn(cloud: DeployCloud): Promise<readonly Leftover[]> {
  const { project } = cloud.place;
  const image = imageName(cloud.place);
  const bucket = stateBucketName(cloud.place);
  const candidates: readonly (Leftover & { readonly kind: Kind; readonly id: string })[] = [
    {
      kind: "image-repository",
      id: `${regionOf(cloud.place)}/repositories/${imageRepository}`,
      what: `images in ${image}`,
      costs: "billed by their size",
      remove: `gcloud artifacts docker images delete ${image} --delete-tags --project ${project}`,
    },
    { kind: "bucket", id: bucket, what: `bucket ${bucket}`, costs: "a few kilobytes: records of deploys" },
    {
      kind: "sign-in",
      id: `projects/${project}/config`,
      what: "Identity Platform with its accounts",
      costs: "monthly active accounts are billed",
      remove: `https://console.cloud.google.com/customer-identity/users?project=${project}`,
    },
  ];
  const present = await Promise.all(candidates.map((candidate) => isThere(candidate, cloud)));
  return candidates.flatMap(({ kind: _kind, id: _id, ...leftover }, at) => (present[at] ? [leftover] : []));
}

/** True if a resource exists; false also if the account has no access to it. */
async function isThere(
  { kind, id }: { readonly kind: Kind; readonly id: string },
  cloud: DeployCloud,
): Promise<boolean> {
  try {
    return (await driverOf(kind).read({ id, spec: {} }, cloud)) !== undefined;
  } catch (error) {
    if (error instanceof CloudError && error.status === 403) return false;
    throw error;
  }
}
