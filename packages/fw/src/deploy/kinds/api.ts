import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { restDriver } from "./rest-driver.ts";

/** An API that the project may use. It stays switched on: others of the project may use it, too. */
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
  await cloud.finished(await cloud.call(request), "serviceusage");
}
