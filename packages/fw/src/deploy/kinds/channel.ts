import type { Driver } from "../driver.ts";
import { marks, secretOf } from "../known.ts";
import { bodyOf, type Written } from "../terraform/written.ts";
import { monitored } from "./monitored.ts";
import { fieldsOf, textOf } from "../fields.ts";

/** How somebody is told. Its name is given by Cloud Monitoring, and alerts have it. */
export const channel: Driver = monitored(
  "notificationChannels",
  "make",
  ({ spec }) => {
    const url = textOf(fieldsOf(spec["labels"])["url"]);
    const secret = secretOf(url);
    const read: readonly Written[] =
      secret === undefined
        ? []
        : [
            {
              type: "google_secret_manager_secret_version",
              isData: true,
              body: { secret },
              marks: { [url]: (address) => `${address}.secret_data` },
            },
          ];
    const mark = marks.channel(textOf(spec["displayName"]));
    return [...read, { type: "google_monitoring_notification_channel", body: bodyOf(spec), marks: { [mark]: nameAt } }];
  },
  (title, live, { known }) => {
    known.set(marks.channel(title), textOf(live["name"]));
  },
);

function nameAt(address: string): string {
  return `${address}.name`;
}
