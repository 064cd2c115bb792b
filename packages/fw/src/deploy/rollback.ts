import type { DeployCloud } from "./deploy-cloud.ts";
import { readInventory, writeInventory } from "./inventory.ts";
import { changeSentence, type Change } from "../evolution/change.ts";
import { compareSchemas } from "../evolution/compare.ts";
import { schemaVersion } from "../evolution/recorded.ts";
import { readLiveVersions, recordRollback, rollbackVersions } from "./live-versions.ts";
import type { Problem } from "./preflight/problem.ts";
import { traffic, sendTo, serving } from "./kinds/traffic.ts";

/** A service whose traffic moves to another revision. */
export interface TrafficSwitch {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the traffic switches that undo the last deploy, without services that have already switched back. */
export async function rollbackPlan(cloud: DeployCloud): Promise<readonly TrafficSwitch[]> {
  const { content } = await readInventory(cloud);
  const before = Object.entries(content?.previous ?? {});
  const lives = await Promise.all(before.map(([id]) => traffic.read({ id, spec: {} }, cloud)));
  return before.flatMap(([id, to], at) => {
    const live = lives[at];
    const from = live ? serving(live) : to;
    return from === to ? [] : [{ id, from, to }];
  });
}

/**
 * Finds data of the running version that the previous one cannot read. A field that the running version has removed
 * blocks the rollback; a value that it may have written is a warning.
 */
export async function rollbackProblems(cloud: DeployCloud, acceptDataChanges: boolean): Promise<readonly Problem[]> {
  const { from, to } = rollbackVersions(await readLiveVersions(cloud));
  if (from?.schema.version !== schemaVersion || to?.schema.version !== schemaVersion) return [unknownVersions];
  return compareSchemas(to.schema, from.schema)
    .filter(({ rule }) => rule === "evolve-rollback")
    .map((change) => rollbackProblem(change, acceptDataChanges));
}

function rollbackProblem(change: Change, acceptDataChanges: boolean): Problem {
  const isCertain = change.verdict === "contraction";
  return {
    what: `${changeSentence(change)} (fw/${change.rule})`,
    todo: isCertain
      ? ["deploy a version that reads both instead", "or accept the consequences with --accept-data-changes"]
      : ["requests that read such data fail with 500, and such messages wait"],
    ...((acceptDataChanges || !isCertain) && { warns: true }),
  };
}

const unknownVersions: Problem = {
  what: "another version of fw deployed the previous version or this one, so fw cannot tell whether it reads the data",
  todo: ["compare their sources: fw check --against <git ref>"],
  warns: true,
};

/** Moves traffic to the previous revisions; another rollback moves it back. */
export async function rollBack(switched: readonly TrafficSwitch[], cloud: DeployCloud): Promise<void> {
  await Promise.all(switched.map(({ id, to }) => sendTo(id, cloud, to)));
  const file = await readInventory(cloud);
  if (!file.content) return;
  const { incomplete: _, ...content } = file.content;
  const previous = { ...content.previous, ...Object.fromEntries(switched.map(({ id, from }) => [id, from])) };
  await writeInventory({ ...content, previous }, file, cloud);
  await recordRollback(cloud);
}
