import { changeSentence, unsafeChanges, type Change } from "../../evolution/change.ts";
import { schemaVersion } from "../../evolution/recorded.ts";
import { queueName } from "../../platform/gcp/names.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { itemsOf } from "../fields.ts";
import { readInventory } from "../inventory.ts";
import { readLiveVersions, runningVersions, type LiveVersion } from "../live-versions.ts";
import type { Check, Problem } from "./problem.ts";

/**
 * Refuses a version that cannot run next to the deployed one: one cannot read the other's data, or something that the
 * deployed version uses was removed. The deployed version reads new data until traffic has moved, and after a rollback.
 */
export const checkDataChanges: Check = async ({ changesSince }, cloud, { acceptDataChanges = false }) => {
  const file = await readLiveVersions(cloud);
  const problemLists =
    file.content === undefined
      ? [await unrecordedDeploy(cloud)]
      : await Promise.all(runningVersions(file).map((version) => problemsSince(version, changesSince, cloud)));
  const problems = new Map(problemLists.flat().map((problem) => [`${problem.at} ${problem.what}`, problem]));
  return [...problems.values()].map((problem) => (acceptDataChanges ? { ...problem, warns: true } : problem));
};

/** Returns a problem if the running version was deployed by a version of fw that recorded no schemas. */
async function unrecordedDeploy(cloud: DeployCloud): Promise<readonly Problem[]> {
  const { content } = await readInventory(cloud);
  const hasDeployed = content !== undefined && content.incomplete !== true;
  return hasDeployed ? [noRecord] : [];
}

async function problemsSince(
  { schema, uses }: LiveVersion,
  changesSince: (schema: LiveVersion["schema"]) => readonly Change[],
  cloud: DeployCloud,
): Promise<readonly Problem[]> {
  if (schema.version !== schemaVersion) return [otherFormat];
  const changes = changesSince(schema);
  const removed = changes.flatMap((change) => change.removed ?? []);
  const backlogs = await Promise.all(removed.map((each) => hasTasks(each, cloud)));
  const inUse = new Set([...uses, ...removed.filter((_, i) => backlogs[i])]);
  return unsafeChanges(changes, (each) => inUse.has(each)).map((change) => ({
    what: `${changeSentence(change)} (fw/${change.rule})`,
    at: `${change.at.path}:${change.at.line}`,
    todo: [...(change.hint === undefined ? [] : [change.hint]), ...(change.removed ? [stillUsed] : []), acceptance],
  }));
}

const stillUsed = "the deployed version still uses it, or messages wait: first deploy a version that no longer uses it";
const acceptance = "or accept the consequences with --accept-data-changes";

const noRecord: Problem = {
  what: "the running version was deployed with an older fw, which recorded no types, so fw cannot tell whether stored data fits this version",
  todo: [
    "compare with the source of the running version: fw check --against <git ref>",
    "or count the documents and messages that do not fit: fw check-data --project <id>",
    "then deploy once with --accept-data-changes: later deploys are compared",
  ],
};

const otherFormat: Problem = {
  what: "another version of fw recorded the types of the deployed data, so fw cannot tell whether it fits this version",
  todo: ["compare with its source: fw check --against <git ref>"],
  warns: true,
};

/** True if messages are waiting in a queue. Topics and jobs do not report whether any are. */
async function hasTasks(removed: string, cloud: DeployCloud): Promise<boolean> {
  const [kind, name = ""] = removed.split(" ");
  if (kind !== "queue") return false;
  const { project, region } = cloud.place;
  const path = `/v2/projects/${project}/locations/${region}/queues/${queueName(cloud.place, name)}/tasks`;
  const answer = await cloud.find({ api: "cloudtasks", method: "GET", path, query: { pageSize: 1 } });
  return itemsOf(answer?.["tasks"]).length > 0;
}
