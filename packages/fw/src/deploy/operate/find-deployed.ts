import { stateBucketName, stateFolder } from "../../platform/gcp/names.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudClient, CloudRequest } from "../../platform/gcp/rest/client.ts";
import { allPages } from "../deploy-cloud.ts";
import { textOf, type Fields } from "../fields.ts";
import { inventoryName, type Inventory } from "../inventory.ts";

/** The environment and region in which an application is deployed. */
export interface DeployedAt {
  readonly env: string;
  readonly region: string;
}

/** Finds an application's environments and regions in the records of its deploys. */
export async function findDeployed(
  { app, project }: { readonly app: string; readonly project: string },
  client: Pick<CloudClient, "call">,
): Promise<readonly DeployedAt[]> {
  const files = await inventoriesOf({ app, project }, client);
  const locations = await Promise.all(
    files.map(async ({ env, path }) => {
      const { resources } = await client.call<Inventory>({
        api: "storage",
        method: "GET",
        path,
        query: { alt: "media" },
      });
      const regions = resources.flatMap(
        ({ id }) => /\/locations\/([a-z0-9-]+)\/(?:services|jobs)\//.exec(id)?.[1] ?? [],
      );
      return [...new Set(regions)].map((region) => ({ env, region }));
    }),
  );
  return locations.flat();
}

async function inventoriesOf(
  { app, project }: { readonly app: string; readonly project: string },
  client: Pick<CloudClient, "call">,
): Promise<readonly { readonly env: string; readonly path: string }[]> {
  const bucket = `/storage/v1/b/${stateBucketName({ project })}/o`;
  const prefix = stateFolder({ app, env: "" });
  const request = { api: "storage", method: "GET", path: bucket, query: { prefix } } as const;
  const objects = await allPages((page) => listPage(client, page), request, "items");
  return objects.flatMap(({ name }) => {
    const [env = "", file = ""] = textOf(name).slice(prefix.length).split("/");
    return file === inventoryName ? [{ env, path: `${bucket}/${encodeURIComponent(textOf(name))}` }] : [];
  });
}

/** Reads a page of a list of objects; undefined if the project has no deploys yet. */
function listPage(client: Pick<CloudClient, "call">, request: CloudRequest): Promise<Fields | undefined> {
  return client.call<Fields>(request).catch((error: unknown) => {
    if (error instanceof CloudError && error.status === 404) return undefined;
    throw error;
  });
}
