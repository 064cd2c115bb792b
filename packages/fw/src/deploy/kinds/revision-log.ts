import { flattenLine } from "../../lib/log-members.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";

const maxLines = 10;

/** Milliseconds to wait for the log lines of a container that has just ended. */
const patienceMs = 10_000;

/** Adds the last log lines of a revision to its start-up error. */
export async function withLog(revision: string, cloud: DeployCloud, error: CloudError): Promise<CloudError> {
  const lines = await lastLines(revision, cloud);
  if (lines.length === 0) return error;
  const message = [error.message, "the last lines of its log (run fw logs for all of them):", ...lines].join("\n    ");
  const { status, code, serverMessage, reason, unknownEffect } = error;
  return new CloudError(message, { status, code, serverMessage, reason, unknownEffect }, { cause: error });
}

/** Returns the last lines of a revision's containers, oldest first; none if the log cannot be read. */
async function lastLines(revision: string, cloud: DeployCloud): Promise<readonly string[]> {
  let entries: readonly Fields[] = [];
  const read = async (): Promise<boolean> => {
    entries = await entriesOf(revision, cloud);
    return entries.length > 0;
  };
  // The log is optional: a missing permission or a timeout must not hide the error.
  await cloud.until(`the log of ${revision}`, read, patienceMs).catch(() => {});
  return newestLines(entries.map(textOfEntry));
}

/**
 * Returns the lines of the newest entries that fit, oldest first. Of a long entry, only the first lines are returned.
 */
export function newestLines(newestFirst: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const entry of newestFirst) {
    const ofEntry = entry.split("\n").slice(0, maxLines);
    if (lines.length + ofEntry.length > maxLines) break;
    lines.unshift(...ofEntry);
  }
  return lines;
}

async function entriesOf(revision: string, cloud: DeployCloud): Promise<readonly Fields[]> {
  const { project } = cloud.place;
  const logs = ["stdout", "stderr"].map((name) => `"projects/${project}/logs/run.googleapis.com%2F${name}"`);
  const filter = [
    `resource.type="cloud_run_revision"`,
    `resource.labels.revision_name="${revision}"`,
    `logName=(${logs.join(" OR ")})`,
  ].join("\n");
  const body = { resourceNames: [`projects/${project}`], filter, orderBy: "timestamp desc", pageSize: maxLines };
  const request = { api: "logging", method: "POST", path: "/v2/entries:list", body, repeatable: true } as const;
  return itemsOf((await cloud.call<Fields>(request))["entries"]);
}

/** Formats an entry like `fw logs` does: its message, then a line for each field, such as the error. */
function textOfEntry({ jsonPayload, textPayload }: Fields): string {
  const payload = fieldsOf(jsonPayload);
  const lines = Object.entries(flattenLine(payload) as Fields)
    .map(([name, value]) => ({ name, text: textOf(value) || textOf(fieldsOf(value)["stack"]) }))
    .filter(({ name, text }) => text !== "" && !name.includes("/"))
    .map(({ name, text }) => `${name}: ${text}`);
  return [textOf(textPayload).trimEnd() || textOf(payload["message"]), ...lines].join("\n");
}
