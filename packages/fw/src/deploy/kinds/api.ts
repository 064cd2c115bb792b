import type { DeployCloud, Driver } from "../driver.ts";

/** An API that the project may use. It stays switched on: others of the project may use it, too. */
export const api: Driver = {
  stage: "ground",
  api: "serviceusage",
  read: async ({ id }, cloud) => {
    const live = await cloud.find({ api: "serviceusage", method: "GET", path: `/v1/${id}` });
    return live?.["state"] === "ENABLED" ? live : undefined;
  },
  create: ({ id }, cloud) => enable(id, cloud),
  patch: ({ id }, _live, _changes, cloud) => enable(id, cloud),
  normalize: (live) => live,
  fixed: [],
  terraform: ({ id }) => [
    { type: "google_project_service", body: { service: id.split("/").at(-1) ?? "", disable_on_destroy: false } },
  ],
};

async function enable(id: string, cloud: DeployCloud): Promise<void> {
  const operation = await cloud.call({
    api: "serviceusage",
    method: "POST",
    path: `/v1/${id}:enable`,
    body: {},
    repeatable: true,
  });
  await cloud.finished(operation, "serviceusage", (name) => `/v1/${name}`);
}
