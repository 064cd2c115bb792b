import type { Manifest } from "../build/manifest.ts";
import type { RecordedSchema } from "../evolution/recorded.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { LockedError } from "./lock.ts";
import { deleteState, readState, writeState, type StateFile } from "./state-file.ts";

/** A deployed version, as recorded to compare it with the next one before both run. */
export interface LiveVersion {
  readonly schema: RecordedSchema;
  /** The declarations that its services use: `entity orders`. */
  readonly uses: readonly string[];
}

/** The versions that a deploy has recorded in the project. */
export interface LiveVersions {
  readonly version: 1;
  /** The version of the last complete deploy, or of the rollback after it. */
  readonly live?: LiveVersion;
  /** The version of a deploy that is in progress, was killed, or failed after it had started to switch traffic. */
  readonly next?: LiveVersion;
  readonly previous?: LiveVersion;
}

/** The file name in the folder of the application and environment. */
const fileName = "versions.json";

export function liveVersionOf(schema: RecordedSchema, { services }: Pick<Manifest, "services">): LiveVersion {
  const uses = services.flatMap(({ grants }) => grants.map(({ kind, name }) => `${kind} ${name}`));
  return { schema, uses: [...new Set(uses)].toSorted() };
}

export function readLiveVersions(cloud: DeployCloud): Promise<StateFile<LiveVersions>> {
  return readState<LiveVersions>(fileName, cloud);
}

export function runningVersions({ content }: StateFile<LiveVersions>): readonly LiveVersion[] {
  return [content?.live, content?.next].filter((version) => version !== undefined);
}

/** True if the record says that only this version runs. */
export function isLive(version: LiveVersion, { content }: StateFile<LiveVersions>): boolean {
  return content?.next === undefined && isSame(version, content?.live);
}

/** Records that a version may receive traffic from now on. */
export function recordNext(
  next: LiveVersion,
  before: StateFile<LiveVersions>,
  cloud: DeployCloud,
): Promise<StateFile<LiveVersions>> {
  return write({ version: 1, ...before.content, next }, before, cloud);
}

/** Records that only this version runs. */
export function recordLive(
  live: LiveVersion,
  before: StateFile<LiveVersions>,
  cloud: DeployCloud,
): Promise<StateFile<LiveVersions>> {
  const { live: earlier, previous: older } = before.content ?? {};
  const previous = isSame(live, earlier) ? older : earlier;
  return write({ version: 1, live, ...(previous && { previous }) }, before, cloud);
}

/** Records the versions as they were before a deploy that moved no traffic. */
export function restoreVersions(
  earlier: StateFile<LiveVersions>,
  before: StateFile<LiveVersions>,
  cloud: DeployCloud,
): Promise<StateFile<LiveVersions>> {
  return write(earlier.content ?? { version: 1 }, before, cloud);
}

/** Returns the versions before and after a rollback, if they are recorded. */
export function rollbackVersions({ content }: StateFile<LiveVersions>): {
  readonly from?: LiveVersion | undefined;
  readonly to?: LiveVersion | undefined;
} {
  const { live, next, previous } = content ?? {};
  // After an interrupted deploy, a rollback moves traffic from that deploy's version to the live one.
  return next === undefined ? { from: live, to: previous } : { from: next, to: live };
}

/** Records a rollback, so that another one returns to the version that was live. */
export async function recordRollback(cloud: DeployCloud): Promise<void> {
  const before = await readLiveVersions(cloud);
  const { from, to } = rollbackVersions(before);
  if (to !== undefined && from !== undefined) await write({ version: 1, live: to, previous: from }, before, cloud);
}

/** Deletes the record of all versions, once their data has been deleted. */
export async function forgetVersions(cloud: DeployCloud): Promise<void> {
  const { content, generation } = await readLiveVersions(cloud);
  if (content !== undefined) await deleteState(fileName, generation, cloud);
}

async function write(
  content: LiveVersions,
  before: StateFile<LiveVersions>,
  cloud: DeployCloud,
): Promise<StateFile<LiveVersions>> {
  if (JSON.stringify(content) === JSON.stringify(before.content)) return before;
  const generation = await writeState(fileName, content, before.generation, cloud);
  if (generation === undefined)
    throw new LockedError("another deploy has run at the same time; run the same command again");
  return { content, generation };
}

function isSame(one: LiveVersion, other: LiveVersion | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
