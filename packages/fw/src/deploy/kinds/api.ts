import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { restDriver } from "./rest-driver.ts";

/** An enabled API. fw never disables it, because other applications may use it. */
export const api: Driver = restDriver({
  stage: "ground",
  api: "serviceusage",
  read: async ({ id }, cloud) => {
    const live = await cloud.find({ api: "serviceusage", method: "GET", path: pathIn("serviceusage", id) });
    return live?.["state"] === "ENABLED" ? live : undefined;
  },
  create: ({ id }, cloud) => enable(id, cloud),
  patch: ({ id }, cloud) => enable(id, cloud),
  terraform: ({ id }) => [
    { type: "google_project_service", body: { service: shortName(id), disable_on_destroy: false } },
  ],
});

async function enable(id: string, cloud: DeployCloud): Promise<void> {
  const path = `${pathIn("serviceusage", id)}:enable`;
  const request = { api: "serviceusage", method: "POST", path, body: {}, repeatable: true } as const;
  await cloud.waitForOperation(await cloud.call(request), "serviceusage");
}
