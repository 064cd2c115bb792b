import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { restDriver } from "./rest-driver.ts";

/** An image in the project's repository. Its name contains its digest, so it never changes. */
export const image: Driver = restDriver({
  stage: "make",
  api: "artifactregistry",
  read: async ({ id }, cloud) => {
    const own = cloud.images.get(id);
    return own && !(await whileBusy(cloud, () => own.exists())) ? undefined : {};
  },
  create: async ({ id }, cloud) => {
    await whileBusy(cloud, async () => cloud.images.get(id)?.push());
  },
  patch: async () => {},
  /** Images are pushed before Terraform runs, so there is no block. */
  terraform: () => [],
});

/** Retries calls to a registry that is busy or down, up to a deploy's usual time limit. */
async function whileBusy<Result>(cloud: DeployCloud, work: () => Promise<Result>): Promise<Result> {
  const results: Result[] = [];
  let failure: unknown;
  const attempt = async (): Promise<boolean> => {
    try {
      results.push(await work());
    } catch (error) {
      failure = error;
      if (!(error instanceof CloudError) || !(error.status === 429 || error.status === 0 || error.status >= 500))
        throw error;
    }
    return results.length > 0;
  };
  await cloud.until("the registry", attempt).catch((error: unknown) => {
    throw failure ?? error;
  });
  return results[0] as Result;
}
