import type { Driver } from "../driver.ts";
import { placeholders, secretOf } from "../placeholders.ts";
import { bodyOf, type TerraformBlock } from "../terraform/terraform-block.ts";
import { monitored } from "./monitored.ts";
import { fieldsOf, textOf } from "../fields.ts";

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
