import { changeSentence, unsafeChanges, type Change } from "../../evolution/change.ts";
import { compareVersions } from "../../evolution/compare.ts";
import { readSchema } from "../../evolution/recorded.ts";
import { readModel } from "../../topology/built-model.ts";
import type { ServedPlatform } from "../../topology/served-platform.ts";
import { Refusal } from "../command.ts";
import type { BuiltRelease } from "./release.ts";

/**
 * Refuses a build that cannot run next to the running one, which `directory` has a record of. During an upgrade, both
 * read and write the same data.
 */
export async function refuseUnsafeUpgrade(
  { model: { app } }: BuiltRelease,
  directory: string,
  { dispatcher }: Pick<ServedPlatform, "dispatcher">,
): Promise<void> {
  const [schema, running] = [readSchema(directory), readModel(directory)];
  if (schema === undefined || running === undefined) return;
  const backlog = (await dispatcher.backlog()).filter(({ messages }) => messages > 0);
  const inUse = new Set([
    ...Object.values(running.grants).flatMap((grants) => grants.map(({ kind, name }) => `${kind} ${name}`)),
    ...backlog.map(({ destination }) => destination.replace(":", " ")),
  ]);
  const changes = unsafeChanges(compareVersions(schema, app), (removed) => inUse.has(removed));
  if (changes.length > 0) throw new Refusal(`${changes.map(sentenceOf).join("; ")}; ${restart}`);
}

/**
 * Refuses to start a build that cannot read what the version that ran last has stored, which `directory` has a record
 * of. If the operator accepts that, returns the sentences to log.
 */
export function refuseMisfitStart(
  { model: { app } }: BuiltRelease,
  directory: string,
  isAccepted: boolean,
): readonly string[] {
  const schema = readSchema(directory);
  const decisions = (schema === undefined ? [] : compareVersions(schema, app)).filter(
    ({ verdict }) => verdict === "decision",
  );
  // No code reads what is no longer declared.
  const misfits = decisions.filter(({ removed }) => removed === undefined);
  if (misfits.length > 0 && !isAccepted) throw new Refusal(`${misfits.map(sentenceOf).join("; ")}; ${acceptance}`);
  return decisions.map(sentenceOf);
}

const acceptance =
  "start the version that ran last, or accept with --accept-data-changes that requests for such data answer 500 and such messages wait";

const restart = "or stop the server and start it with this build, so that only one of both runs";

function sentenceOf(change: Change): string {
  const { path, line } = change.at;
  const hint = change.hint === undefined ? "" : ` (${change.hint})`;
  return `${path}:${line}: ${changeSentence(change)}${hint}`;
}
