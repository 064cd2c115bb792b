import type { DeployCloud, Driver } from "../driver.ts";
import { textOf, type Fields } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { restDriver } from "./rest-driver.ts";

/** The notifications of uploads to a bucket, sent to a topic. They are immutable, and the cloud assigns their names. */
export const notification: Driver = restDriver({
  stage: "connect",
  api: "storage",
  read: ({ id }, cloud) => find(id, cloud),
  create: async ({ id, spec }, cloud) => {
    await cloud.call({ api: "storage", method: "POST", path: pathOf(id), body: spec });
  },
  patch: async () => {},
  remove: async (id, cloud) => {
    const live = await find(id, cloud);
    if (live) await cloud.find({ api: "storage", method: "DELETE", path: `${pathOf(id)}/${textOf(live["id"])}` });
  },
  fixed: ["topic", "event_types", "payload_format"],
  terraform: ({ id, spec }) => [
    { type: "google_storage_notification", body: { bucket: id.split(" ")[0] ?? "", ...bodyOf(spec) } },
  ],
  replaces: "again",
});

/** Finds the notification with an id, `<bucket> <topic>`; undefined if there is none. */
async function find(id: string, cloud: DeployCloud): Promise<Fields | undefined> {
  const [, topic = ""] = id.split(" ");
  const configs = await cloud.all({ api: "storage", method: "GET", path: pathOf(id) }, "items");
  return configs.find((live) => textOf(live["topic"]).endsWith(`/${topic}`));
}

function pathOf(id: string): string {
  return `/storage/v1/b/${encodeURIComponent(id.split(" ")[0] ?? "")}/notificationConfigs`;
}
