import { realpathSync } from "node:fs";
import { openCloud } from "../../deploy/connect.ts";
import { rollBack, rollbackPlan } from "../../deploy/rollback.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { withApplication } from "./application.ts";
import { withProject, type DeployOptions } from "./run.ts";

/** `fw deploy --rollback`: the traffic of each service goes to the revision that had it before the last deploy. */
export async function runRollback(options: DeployOptions, io: IO): Promise<ExitCode> {
  const root = realpathSync(appRoot(io.cwd));
  const code = await withApplication(root, io, ({ app }) =>
    withProject(options, app.name, io, async (place, connected) => {
      const cloud = openCloud(place, connected);
      const switched = await rollbackPlan(cloud);
      const lines = switched.map(({ id, from, to }) => `~ traffic of ${id.split("/").at(-1)}: ${from} → ${to}`);
      if (options.json) io.out.write(`${JSON.stringify({ version: 1, switched }, undefined, 2)}\n`);
      else io.out.write(lines.length === 0 ? "there is no deploy to go back to\n" : `${lines.join("\n")}\n`);
      if (switched.length === 0) return 1;
      if (options.dryRun) return 0;
      if (!options.yes && !io.input.isTTY) throw new Refusal("nobody is there to confirm it: add --yes");
      if (!options.yes && !/^y(?:es)?$/i.test(await io.input.line("send requests there? (y/n) "))) return 1;
      await rollBack(switched, cloud);
      return 0;
    }),
  );
  return code ?? 1;
}
