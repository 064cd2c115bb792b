import type { DeployCloud, Driver } from "../driver.ts";
import { topOf, type Fields } from "../fields.ts";
import { hasLabels, labelled, textOf } from "./marked.ts";

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
  const own = async (cloud: DeployCloud): Promise<readonly Fields[]> => {
    const path = `/v3/projects/${cloud.place.project}/${collection}`;
    const all = await cloud.all({ api: "monitoring", method: "GET", path, query: { pageSize: 500 } }, collection);
    return all.filter((live) => hasLabels(live, cloud.place, "userLabels"));
  };
  const find = async (id: string, cloud: DeployCloud): Promise<Fields | undefined> => {
    const title = titleOf(id);
    const live = (await own(cloud)).find(({ displayName }) => displayName === title);
    if (live) found(title, live, cloud);
    return live;
  };
  return {
    stage,
    api: "monitoring",
    read: ({ id }, cloud) => find(id, cloud),
    list: async (cloud) => (await own(cloud)).map(({ displayName }) => `${collection}/${textOf(displayName)}`),
    create: async ({ id, spec }, cloud) => {
      const path = `/v3/projects/${cloud.place.project}/${collection}`;
      found(titleOf(id), await cloud.call<Fields>({ api: "monitoring", method: "POST", path, body: spec }), cloud);
    },
    patch: async ({ spec }, live, changes, cloud) => {
      const query = { updateMask: topOf(changes).join(",") };
      const body = { ...spec, userLabels: labelled(spec, live, "userLabels") };
      await cloud.call({ api: "monitoring", method: "PATCH", path: `/v3/${textOf(live["name"])}`, query, body });
    },
    remove: async (id, cloud) => {
      const live = await find(id, cloud);
      if (live) await cloud.find({ api: "monitoring", method: "DELETE", path: `/v3/${textOf(live["name"])}` });
    },
    normalize: (live) => live,
    fixed: [],
    terraform,
  };
}

function titleOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
