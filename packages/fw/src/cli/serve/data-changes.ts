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

/** Sentences on data of the version that ran last which a build does not fit. */
export function misfitWarnings({ model: { app } }: BuiltRelease, directory: string): readonly string[] {
  const schema = readSchema(directory);
  const changes = schema === undefined ? [] : compareVersions(schema, app);
  return changes.filter(({ verdict }) => verdict === "decision").map(sentenceOf);
}

const restart = "or stop the server and start it with this build, so that only one of both runs";

function sentenceOf(change: Change): string {
  const { path, line } = change.at;
  const hint = change.hint === undefined ? "" : ` (${change.hint})`;
  return `${path}:${line}: ${changeSentence(change)}${hint}`;
}
