import type { DeployCloud, Driver } from "../driver.ts";
import { textOf, type Fields } from "../fields.ts";
import { hasLabels } from "./ownership-marks.ts";
import { changedFields, maskOf, restDriver } from "./rest-driver.ts";

/**
 * Alert policies and notification channels. Cloud Monitoring assigns their names, so they are identified by title among
 * those of the application and environment; the id is `<collection>/<title>`.
 */
export function monitored(
  collection: "alertPolicies" | "notificationChannels",
  stage: Driver["stage"],
  terraform: Driver["terraform"],
  onRead: (title: string, live: Fields, cloud: DeployCloud) => void = () => {},
): Driver {
  const pathOf = ({ place }: DeployCloud): string => `/v3/projects/${place.project}/${collection}`;
  const ownItems = async (cloud: DeployCloud): Promise<readonly Fields[]> => {
    const request = { api: "monitoring", method: "GET", path: pathOf(cloud), query: { pageSize: 500 } } as const;
    const all = await cloud.all(request, collection);
    return all.filter((live) => hasLabels(live, cloud.place, "userLabels"));
  };
  const find = async (id: string, cloud: DeployCloud): Promise<Fields | undefined> => {
    const title = titleOf(id);
    const live = (await ownItems(cloud)).find(({ displayName }) => displayName === title);
    if (live) onRead(title, live, cloud);
    return live;
  };
  return restDriver({
    stage,
    api: "monitoring",
    read: ({ id }, cloud) => find(id, cloud),
    list: async (cloud) => (await ownItems(cloud)).map(({ displayName }) => `${collection}/${textOf(displayName)}`),
    create: async ({ id, spec }, cloud) => {
      const request = { api: "monitoring", method: "POST", path: pathOf(cloud), body: spec } as const;
      onRead(titleOf(id), await cloud.call<Fields>(request), cloud);
    },
    patch: async ({ spec }, cloud, from) => {
      const path = `/v3/${textOf(from.live["name"])}`;
      const body = changedFields(spec, from, ["userLabels"]);
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
