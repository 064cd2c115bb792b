import type { DeployCloud, Driver } from "../driver.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { hasLabels, markedNames } from "./ownership-marks.ts";
import { changedFields, restDriver } from "./rest-driver.ts";

export const bucket: Driver = restDriver({
  stage: "make",
  api: "storage",
  read: ({ id }, cloud) => cloud.find({ api: "storage", method: "GET", path: pathOf(id) }),
  list: async (cloud) => {
    const query = { project: cloud.place.project, maxResults: 1000 };
    const all = await cloud.all({ api: "storage", method: "GET", path: "/storage/v1/b", query }, "items");
    return markedNames(all, cloud.place);
  },
  create: async ({ id, spec }, cloud) => {
    const query = { project: cloud.place.project };
    const body = { name: id, location: cloud.place.region, ...spec };
    await cloud.call({ api: "storage", method: "POST", path: "/storage/v1/b", query, body });
  },
  patch: async ({ id, spec }, cloud, from) => {
    await cloud.call({ api: "storage", method: "PATCH", path: pathOf(id), body: changedFields(spec, from) });
  },
  remove: async (id, cloud) => {
    await emptyBucket(id, cloud);
    await cloud.find({ api: "storage", method: "DELETE", path: pathOf(id) });
  },
  normalize: (live) => ({ ...live, ...withLowerCaseLocation(live), iamConfiguration: access(live) }),
  fixed: ["location"],
  terraform: ({ id, spec, owns }) => {
    // Terraform's configuration does not include the bucket that stores the state of deploys.
    if (owns === "part") return [];
    const { iamConfiguration, lifecycle, ...others } = spec;
    const { uniformBucketLevelAccess, publicAccessPrevention } = access({ iamConfiguration: iamConfiguration ?? {} });
    const flat = {
      uniformBucketLevelAccess: fieldsOf(uniformBucketLevelAccess)["enabled"] ?? false,
      publicAccessPrevention: publicAccessPrevention ?? "inherited",
      ...others,
      lifecycleRule: fieldsOf(lifecycle)["rule"] ?? [],
    };
    return [{ type: "google_storage_bucket", body: { name: id, ...bodyOf(flat) } }];
  },
  isMarked: (live, place) => hasLabels(live, place),
  keepsData: true,
  notes: (step) => {
    if (step === "leave") return { costs: "its objects are billed by their size" };
    return step === "prune" ? { forGood: "its objects are deleted with it" } : {};
  },
});

/** Deletes all objects and their old versions, because only an empty bucket can be deleted. */
async function emptyBucket(id: string, cloud: DeployCloud): Promise<void> {
  const path = `${pathOf(id)}/o`;
  const query = { versions: true, maxResults: 1000, fields: "nextPageToken,items(name,generation)" };
  const objects = await cloud.all({ api: "storage", method: "GET", path, query }, "items");
  await mapConcurrently(objects, ({ name, generation }) =>
    cloud.find({
      api: "storage",
      method: "DELETE",
      path: `${path}/${encodeURIComponent(textOf(name))}`,
      query: { generation: textOf(generation) },
    }),
  );
}

function pathOf(id: string): string {
  return `/storage/v1/b/${encodeURIComponent(id)}`;
}

/** Converts the location, which the API returns in upper case. */
function withLowerCaseLocation({ location }: Fields): Fields {
  return typeof location === "string" ? { location: location.toLowerCase() } : {};
}

function access({ iamConfiguration }: Fields): Fields {
  const { uniformBucketLevelAccess, publicAccessPrevention = "inherited" } = fieldsOf(iamConfiguration);
  return {
    uniformBucketLevelAccess: { enabled: fieldsOf(uniformBucketLevelAccess)["enabled"] ?? false },
    publicAccessPrevention,
  };
}
