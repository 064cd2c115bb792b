import { openCloud } from "../../deploy/connect.ts";
import { rollBack, rollbackPlan } from "../../deploy/rollback.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { printJSON } from "../print/output.ts";
import { agreed, withProject } from "./project.ts";
import type { DeployOptions } from "./run.ts";

/** `fw deploy --rollback`: the traffic of each service goes to the revision that had it before the last deploy. */
export async function runRollback(options: DeployOptions, io: IO): Promise<ExitCode> {
  return withProject({ ...options, root: appRoot(io.cwd) }, io, async ({ place, connected }) => {
    const cloud = openCloud(place, connected);
    const switched = await rollbackPlan(cloud);
    const lines = switched.map(({ id, from, to }) => `~ traffic of ${id.split("/").at(-1)}: ${from} → ${to}`);
    if (options.json) printJSON({ version: 1, switched }, io);
    else io.out.write(lines.length === 0 ? "there is no deploy to go back to\n" : `${lines.join("\n")}\n`);
    if (switched.length === 0) return 1;
    if (options.dryRun) return 0;
    if (!options.yes && !(await agreed("send requests there?", "nobody is there to confirm it: add --yes", io)))
      return 1;
    await rollBack(switched, cloud);
    return 0;
  });
}
