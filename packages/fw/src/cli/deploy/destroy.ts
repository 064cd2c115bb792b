import { openCloud } from "../../deploy/connect.ts";
import { lockClock } from "../../deploy/deploy.ts";
import { counted } from "../../lib/counted.ts";
import { describedSteps } from "../../deploy/describe.ts";
import { destroy } from "../../deploy/destroy.ts";
import { leftoversIn } from "../../deploy/leftovers.ts";
import type { Plan } from "../../deploy/plan.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { terminalPalette } from "../print/colour.ts";
import { printJSON } from "../print/output.ts";
import { leftoversText, planText } from "./print-plan.ts";
import { incompleteText, stoppedText } from "./incomplete.ts";
import { progressOn, confirmByName, withProject, type ProjectOptions } from "./project.ts";

export interface DestroyOptions extends ProjectOptions {
  readonly data: true | undefined;
  readonly confirm: string | undefined;
  readonly dryRun: true | undefined;
}

/** Runs `fw destroy`: shows what it will delete, and asks for confirmation first. */
export async function runDestroy(options: DestroyOptions, io: IO): Promise<ExitCode> {
  const { data, confirm, dryRun, json } = options;
  return withProject({ ...options, root: appRoot(io.cwd) }, io, async ({ place, connected }) => {
    let shownPlan: Plan = { steps: [], exposed: [] };
    const cloud = openCloud(place, connected);
    const leftovers = await leftoversIn(cloud);
    const destroyed = await destroy({
      cloud,
      data: data === true,
      holder: connected.credentials.who,
      clock: lockClock,
      progress: progressOn(io, options),
      confirm: async (plan) => {
        shownPlan = plan;
        if (!json)
          io.out.write(
            planText(plan, { palette: terminalPalette(io), verbose: options.verbose === true, taking: "--data" }) +
              leftoversText(leftovers),
          );
        if (dryRun || plan.steps.every(({ op }) => op !== "prune")) return false;
        const name = `${place.app}-${place.env}`;
        const isConfirmed = await confirmByName(name, [data ? `${name} with all of its data` : name], { confirm, io });
        if (isConfirmed) io.progress.step("removing resources");
        return isConfirmed;
      },
    });
    const failed = destroyed?.outcomes.some(({ state }) => state !== "done") === true;
    const result = destroyed === undefined ? "planned" : failed ? "failed" : "done";
    if (failed && !json) io.out.write(incompleteText("destroy", destroyed));
    if (result === "done" && !json) io.out.write(`done: ${counted(destroyed?.outcomes.length ?? 0, "step")}\n`);
    if (json)
      printJSON(
        { version: 1, result, steps: describedSteps(shownPlan), left: leftovers, ...stoppedText(destroyed) },
        io,
      );
    const declined = destroyed === undefined && !dryRun && shownPlan.steps.some(({ op }) => op === "prune");
    return failed || declined ? 1 : 0;
  });
}
