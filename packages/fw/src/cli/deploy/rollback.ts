import { openCloud } from "../../deploy/connect.ts";
import { rollBack, rollbackPlan, rollbackProblems } from "../../deploy/rollback.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { printJSON } from "../print/output.ts";
import { terminalPalette } from "../print/colour.ts";
import { problemsText, warningsText } from "./print-plan.ts";
import { confirmYes, withProject } from "./project.ts";
import type { DeployOptions } from "./run.ts";

/**
 * Runs `fw deploy --rollback`: moves the traffic of each service to the revision that had it before the last deploy.
 * Refuses if that version certainly cannot read data of the running one, unless the user accepts that.
 */
export async function runRollback(options: DeployOptions, io: IO): Promise<ExitCode> {
  return withProject({ ...options, root: appRoot(io.cwd) }, io, async ({ place, connected }) => {
    const cloud = openCloud(place, connected);
    const switches = await rollbackPlan(cloud);
    const lines = switches.map(({ id, from, to }) => `~ traffic of ${id.split("/").at(-1)}: ${from} → ${to}`);
    const problems = switches.length === 0 ? [] : await rollbackProblems(cloud, options.acceptDataChanges === true);
    const isBlocked = problems.some(({ warns }) => warns !== true);
    if (options.json) printJSON({ version: 1, switched: isBlocked ? [] : switches, problems }, io);
    else if (isBlocked) io.out.write(problemsText(problems, terminalPalette(io), "no traffic was switched"));
    else {
      io.out.write(lines.length === 0 ? "no previous deploy to roll back to\n" : `${lines.join("\n")}\n`);
      io.out.write(warningsText(problems));
    }
    if (switches.length === 0 || isBlocked) return 1;
    if (options.dryRun) return 0;
    if (!options.yes && !(await confirmYes("Switch the traffic?", io))) return 1;
    await rollBack(switches, cloud);
    return 0;
  });
}
