import { changeSentence, unsafeChanges, type Change } from "../../evolution/change.ts";
import { compareVersions } from "../../evolution/compare.ts";
import { readSchema, type RecordedSchema } from "../../evolution/recorded.ts";
import { readModel } from "../../topology/built-model.ts";
import type { ServedPlatform } from "../../topology/served-platform.ts";
import { Refusal } from "../command.ts";
import type { BuiltRelease } from "./release.ts";

/**
 * Refuses a build that cannot run next to the running one, which is recorded in `directory`, or next to the version
 * `elsewhere` of another machine. During an upgrade, all of them read and write the same data.
 */
export async function refuseUnsafeUpgrade(
  { model: { app } }: BuiltRelease,
  directory: string,
  elsewhere: RecordedSchema | undefined,
  { dispatcher }: Pick<ServedPlatform, "dispatcher">,
): Promise<void> {
  const [schema, running] = [readSchema(directory), readModel(directory)];
  if (running === undefined) return;
  const waiting = await waitingDestinations(dispatcher);
  const inUse = new Set([
    ...Object.values(running.grants).flatMap((grants) => grants.map(({ kind, name }) => `${kind} ${name}`)),
    ...waiting,
  ]);
  const versions = [schema, elsewhere].filter((each) => each !== undefined);
  const changes = versions.flatMap((each) =>
    unsafeChanges(compareVersions(each, app), (removed) => inUse.has(removed)),
  );
  const sentences = new Set(changes.map(sentenceOf));
  if (sentences.size === 0) return;
  const isStartRefused = changes.some((change) => refusesStart(change, waiting));
  throw new Refusal(`${[...sentences].join("; ")}; ${isStartRefused ? restartAccepting : restart}`);
}

/**
 * Refuses to start a build that cannot read data of the version that ran last, unless the operator accepts that.
 * Returns sentences to log about the changes.
 */
export function refuseMisfitStart(
  { model: { app } }: BuiltRelease,
  last: RecordedSchema | undefined,
  isAccepted: boolean,
): readonly string[] {
  const decisions = decisionsSince(app, last).filter(({ removed }) => !isDestination(removed));
  // Documents of a removed declaration do no harm: no code reads them, and a new declaration restores access.
  const misfits = decisions.filter(({ removed }) => removed === undefined);
  if (misfits.length > 0 && !isAccepted) throw new Refusal(`${misfits.map(sentenceOf).join("; ")}; ${acceptance}`);
  return decisions.map(sentenceOf);
}

/**
 * Refuses to start a build without a queue, topic or job that still has messages, unless the operator accepts that no
 * code will handle them. Returns warnings about them.
 */
export async function refuseStrandedMessages(
  { model: { app } }: BuiltRelease,
  last: RecordedSchema | undefined,
  { dispatcher }: Pick<ServedPlatform, "dispatcher">,
  isAccepted: boolean,
): Promise<readonly string[]> {
  const removals = decisionsSince(app, last).filter(({ removed }) => isDestination(removed));
  if (removals.length === 0) return [];
  const waiting = await waitingDestinations(dispatcher);
  const stranded = removals.filter(({ removed = "" }) => waiting.has(removed)).map(sentenceOf);
  if (stranded.length > 0 && !isAccepted) throw new Refusal(`${stranded.join("; ")}; ${strandedAcceptance}`);
  return stranded;
}

function decisionsSince(app: BuiltRelease["model"]["app"], schema: RecordedSchema | undefined): readonly Change[] {
  const changes = schema === undefined ? [] : compareVersions(schema, app);
  return changes.filter(({ verdict }) => verdict === "decision");
}

/** True if `fw serve` also refuses the change at startup. */
function refusesStart({ verdict, removed }: Change, waiting: ReadonlySet<string>): boolean {
  return verdict === "decision" && (removed === undefined || (isDestination(removed) && waiting.has(removed)));
}

/** True if a removed declaration can hold waiting messages. */
function isDestination(removed = ""): boolean {
  return /^(?:queue|topic|job) /.test(removed);
}

/** Returns the queues, topics and jobs with waiting messages, such as `queue emails`. */
async function waitingDestinations(dispatcher: Pick<ServedPlatform["dispatcher"], "backlog">): Promise<Set<string>> {
  const waiting = (await dispatcher.backlog()).filter(({ messages }) => messages > 0);
  return new Set(waiting.map(({ destination }) => destination.replace(":", " ")));
}

const acceptance =
  "start the previous version, or accept with --accept-data-changes that requests for such data fail with 500 and such messages wait";

const strandedAcceptance =
  "start the previous version until they are handled, or accept with --accept-data-changes that they wait for another version";

const restart = "or stop the server and start it with this build, so that only one version runs";

const restartAccepting =
  "or stop the server and start it with this build and --accept-data-changes: requests for such data then fail with 500, and such messages wait";

function sentenceOf(change: Change): string {
  const { path, line } = change.at;
  const hint = change.hint === undefined ? "" : ` (${change.hint})`;
  return `${path}:${line}: ${changeSentence(change)}${hint}`;
}
