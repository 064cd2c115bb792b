import type { DeployCloud, Driver } from "../driver.ts";
import { textOf, type Fields, fieldsOf } from "../fields.ts";
import { hasLabels, mergeLabels } from "./ownership-marks.ts";
import { changedFields, maskOf, restDriver } from "./rest-driver.ts";
import { bodyOf, type TerraformBlock } from "../terraform/terraform-block.ts";
import { placeholders, secretOf } from "../placeholders.ts";

/** The differences between the APIs of the collections. */
const collections = {
  alertPolicies: { version: "v3", labels: "userLabels", isReplaced: false },
  notificationChannels: { version: "v3", labels: "userLabels", isReplaced: false },
  // A PATCH replaces the dashboard and takes no mask.
  dashboards: { version: "v1", labels: "labels", isReplaced: true },
} as const;

/**
 * Returns the driver of alert policies, notification channels or dashboards. Cloud Monitoring assigns their names, so
 * fw finds them by title and by labels of the application and environment. The id is `<collection>/<title>`.
 */
function monitored(
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

export const alert: Driver = monitored("alertPolicies", "connect", ({ spec }) => [
  { type: "google_monitoring_alert_policy", body: bodyOf(spec) },
]);

/** The dashboard of an application in Cloud Monitoring, which assigns its name. */
export const dashboard: Driver = monitored(
  "dashboards",
  "connect",
  ({ spec }) => [{ type: "google_monitoring_dashboard", body: { dashboard_json: JSON.stringify(spec) } }],
  (title, live, { values }) => {
    values.set(placeholders.dashboard(title), textOf(live["name"]));
  },
);

/** A notification channel. Cloud Monitoring assigns its name, which alerts refer to. */
export const channel: Driver = monitored(
  "notificationChannels",
  "make",
  ({ spec }) => {
    const url = textOf(fieldsOf(spec["labels"])["url"]);
    const secret = secretOf(url);
    const read: readonly TerraformBlock[] =
      secret === undefined
        ? []
        : [
            {
              type: "google_secret_manager_secret_version",
              isData: true,
              body: { secret },
              placeholders: { [url]: (address) => `${address}.secret_data` },
            },
          ];
    const placeholder = placeholders.channel(textOf(spec["displayName"]));
    return [
      ...read,
      { type: "google_monitoring_notification_channel", body: bodyOf(spec), placeholders: { [placeholder]: nameAt } },
    ];
  },
  (title, live, { values }) => {
    values.set(placeholders.channel(title), textOf(live["name"]));
  },
);

function nameAt(address: string): string {
  return `${address}.name`;
}
