import { loadServices } from "../../build/load/check.ts";
import { manifestOf, type BuiltApp, type Manifest } from "../../build/manifest.ts";
import { writeBuild, writeOwnBuild, type WriteOptions } from "../../build/write.ts";
import { recordedSchema, schemaFile, schemaText } from "../../evolution/recorded.ts";
import { readEnv } from "../../workspace/env.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/**
 * Writes a build after checking that each of its services loads. If one does not load, rejects with a Refusal and keeps
 * the previous build. A failure that may be specific to this machine is only a warning.
 */
export async function writeCheckedBuild(
  root: string,
  built: BuiltApp,
  io: IO,
  more: ReadonlyMap<string, string> = new Map(),
): Promise<Manifest> {
  const manifest = manifestOf(built);
  const all = new Map([...more, ...schemaOf(built)]);
  await writeBuild(root, built.services, manifest, { more: all, check: checkOf(root, built, io) });
  return manifest;
}

/** Like `writeCheckedBuild`, but writes the build of a deploy to a separate directory, which the caller deletes. */
export async function writeOwnCheckedBuild(
  root: string,
  built: BuiltApp,
  io: IO,
): Promise<{ readonly manifest: Manifest; readonly directory: string }> {
  const manifest = manifestOf(built);
  const directory = await writeOwnBuild(root, built.services, manifest, {
    more: schemaOf(built),
    check: checkOf(root, built, io),
  });
  return { manifest, directory };
}

/** Returns the file with the schema of stored data, messages and APIs, for comparison with later versions. */
function schemaOf({ app }: BuiltApp): ReadonlyMap<string, string> {
  return new Map([[schemaFile, schemaText(recordedSchema(app))]]);
}

/** Returns a check that loads every service of a build before the build replaces the previous one. */
function checkOf(root: string, { services }: BuiltApp, io: IO): NonNullable<WriteOptions["check"]> {
  return async (fresh, before) => {
    io.progress.step("loading each service once");
    const env = { ...io.env, ...readEnv(root, io.env) };
    const directories = { root, newServices: fresh, previousServices: before };
    const problems = await loadServices(services, { ...directories, memo: io.bundles, env });
    const defects = problems.filter(({ isEnvironment }) => !isEnvironment);
    if (defects.length > 0) throw new Refusal(defects.map(({ text }) => text).join("\n"));
    for (const { text } of problems) io.err.write(`fw: warning: ${text}\n`);
  };
}
