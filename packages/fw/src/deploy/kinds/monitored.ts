import type { DeployCloud, Driver } from "../driver.ts";
import { textOf, type Fields } from "../fields.ts";
import { hasLabels, mergeLabels } from "./ownership-marks.ts";
import { changedFields, maskOf, restDriver } from "./rest-driver.ts";

/** How the API of each collection differs. */
const collections = {
  alertPolicies: { version: "v3", labels: "userLabels", isReplaced: false },
  notificationChannels: { version: "v3", labels: "userLabels", isReplaced: false },
  // A PATCH replaces a dashboard and has no mask.
  dashboards: { version: "v1", labels: "labels", isReplaced: true },
} as const;

/**
 * Alert policies, notification channels and dashboards. Cloud Monitoring assigns their names, so they are identified by
 * title among those of the application and environment; the id is `<collection>/<title>`.
 */
export function monitored(
  collection: keyof typeof collections,
  stage: Driver["stage"],
  terraform: Driver["terraform"],
  onRead: (title: string, live: Fields, cloud: DeployCloud) => void = () => {},
): Driver {
  const { version, labels, isReplaced } = collections[collection];
  const pathOf = ({ place }: DeployCloud): string => `/${version}/projects/${place.project}/${collection}`;
  const ownItems = async (cloud: DeployCloud): Promise<readonly Fields[]> => {
    const request = { api: "monitoring", method: "GET", path: pathOf(cloud), query: { pageSize: 500 } } as const;
    const all = await cloud.all(request, collection);
    return all.filter((live) => hasLabels(live, cloud.place, labels));
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
      const path = `/${version}/${textOf(from.live["name"])}`;
      const request = isReplaced
        ? { body: { ...spec, [labels]: mergeLabels(spec, from.live, labels) } }
        : { body: changedFields(spec, from, [labels]), query: maskOf(from.changes) };
      await cloud.call({ api: "monitoring", method: "PATCH", path, ...request });
    },
    remove: async (id, cloud) => {
      const live = await find(id, cloud);
      if (live) await cloud.find({ api: "monitoring", method: "DELETE", path: `/${version}/${textOf(live["name"])}` });
    },
    terraform,
  });
}

function titleOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
