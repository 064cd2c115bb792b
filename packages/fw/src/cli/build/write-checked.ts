import { loadServices } from "../../build/load/check.ts";
import { manifestOf, type BuiltApp, type Manifest } from "../../build/manifest.ts";
import { writeBuild } from "../../build/write.ts";
import { readEnv } from "../../workspace/env.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/**
 * Writes a build once every service of it loads. Rejects with a Refusal, and leaves the build before where it is,
 * where one does not; what only this machine may lack is a warning.
 */
export async function writeCheckedBuild(
  root: string,
  built: BuiltApp,
  io: IO,
  more?: ReadonlyMap<string, string>,
): Promise<Manifest> {
  const manifest = manifestOf(built);
  await writeBuild(root, built.services, manifest, {
    ...(more && { more }),
    async check(fresh, before) {
      const env = { ...io.env, ...readEnv(root, io.env) };
      const problems = await loadServices(built.services, { root, fresh, before, env });
      const defects = problems.filter(({ isEnvironment }) => !isEnvironment);
      if (defects.length > 0) throw new Refusal(defects.map(({ text }) => text).join("\n"));
      for (const { text } of problems) io.err.write(`fw: warning: ${text}\n`);
    },
  });
  return manifest;
}
