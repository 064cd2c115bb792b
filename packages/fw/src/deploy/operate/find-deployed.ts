import { stateBucketName, stateFolder } from "../../platform/gcp/names.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { itemsOf, textOf, type Fields } from "../fields.ts";
import { inventoryName, type Inventory } from "../inventory.ts";

/** Where an application is deployed in a project. */
export interface DeployedAt {
  readonly env: string;
  readonly region: string;
}

/** The environments and regions of an application, as its deploys have written them down in the project. */
export async function findDeployed(
  { app, project }: { readonly app: string; readonly project: string },
  client: Pick<CloudClient, "call">,
): Promise<readonly DeployedAt[]> {
  const files = await inventoriesOf({ app, project }, client);
  const found = await Promise.all(
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
  return found.flat();
}

async function inventoriesOf(
  { app, project }: { readonly app: string; readonly project: string },
  client: Pick<CloudClient, "call">,
): Promise<readonly { readonly env: string; readonly path: string }[]> {
  const bucket = `/storage/v1/b/${stateBucketName({ project })}/o`;
  const prefix = stateFolder({ app, env: "" });
  const envs: string[] = [];
  let pageToken: string | undefined;
  do {
    const page: Fields = await listed(client, bucket, { prefix, pageToken });
    for (const item of itemsOf(page["items"])) {
      const [env = "", file = ""] = textOf(item["name"]).slice(prefix.length).split("/");
      if (file === inventoryName) envs.push(env);
    }
    pageToken = textOf(page["nextPageToken"]) || undefined;
  } while (pageToken !== undefined);
  return envs.map((env) => ({ env, path: `${bucket}/${encodeURIComponent(`${prefix}${env}/${inventoryName}`)}` }));
}

/** Nothing where nobody has deployed to the project yet. */
async function listed(
  client: Pick<CloudClient, "call">,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Fields> {
  try {
    return await client.call<Fields>({ api: "storage", method: "GET", path, query });
  } catch (error) {
    if (error instanceof CloudError && error.status === 404) return {};
    throw error;
  }
}
