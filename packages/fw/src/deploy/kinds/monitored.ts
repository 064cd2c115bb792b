import type { DeployCloud, Driver } from "../driver.ts";
import { textOf, type Fields } from "../fields.ts";
import { hasLabels } from "./marked.ts";
import { changed, maskOf, restDriver } from "./rest-driver.ts";

/**
 * What Cloud Monitoring has under names of its own: alert policies and channels. They are found by their title among those of the
 * application and environment, so that the id is `<collection>/<title>`.
 */
export function monitored(
  collection: "alertPolicies" | "notificationChannels",
  stage: Driver["stage"],
  terraform: Driver["terraform"],
  found: (title: string, live: Fields, cloud: DeployCloud) => void = () => {},
): Driver {
  const pathOf = ({ place }: DeployCloud): string => `/v3/projects/${place.project}/${collection}`;
  const own = async (cloud: DeployCloud): Promise<readonly Fields[]> => {
    const request = { api: "monitoring", method: "GET", path: pathOf(cloud), query: { pageSize: 500 } } as const;
    const all = await cloud.all(request, collection);
    return all.filter((live) => hasLabels(live, cloud.place, "userLabels"));
  };
  const find = async (id: string, cloud: DeployCloud): Promise<Fields | undefined> => {
    const title = titleOf(id);
    const live = (await own(cloud)).find(({ displayName }) => displayName === title);
    if (live) found(title, live, cloud);
    return live;
  };
  return restDriver({
    stage,
    api: "monitoring",
    read: ({ id }, cloud) => find(id, cloud),
    list: async (cloud) => (await own(cloud)).map(({ displayName }) => `${collection}/${textOf(displayName)}`),
    create: async ({ id, spec }, cloud) => {
      const request = { api: "monitoring", method: "POST", path: pathOf(cloud), body: spec } as const;
      found(titleOf(id), await cloud.call<Fields>(request), cloud);
    },
    patch: async ({ spec }, cloud, from) => {
      const path = `/v3/${textOf(from.live["name"])}`;
      const body = changed(spec, from, ["userLabels"]);
      await cloud.call({ api: "monitoring", method: "PATCH", path, query: maskOf(from.changes), body });
    },
    remove: async (id, cloud) => {
      const live = await find(id, cloud);
      if (live) await cloud.find({ api: "monitoring", method: "DELETE", path: `/v3/${textOf(live["name"])}` });
    },
    terraform,
  });
}

function titleOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
