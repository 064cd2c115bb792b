import { realpathSync } from "node:fs";
import { openCloud } from "../../deploy/connect.ts";
import { lockClock } from "../../deploy/deploy.ts";
import { describedSteps } from "../../deploy/describe.ts";
import { destroy } from "../../deploy/destroy.ts";
import type { Plan } from "../../deploy/plan.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { palette, wantsColour } from "../print/colour.ts";
import { withApplication } from "./application.ts";
import { planText } from "./print-plan.ts";
import { progressOn, typed, withProject } from "./run.ts";
import type { TargetOptions } from "./target.ts";

export interface DestroyOptions extends TargetOptions {
  readonly data: boolean;
  readonly confirm: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `fw destroy`: what is removed is shown, and its name typed, before anything is. */
export async function runDestroy(options: DestroyOptions, io: IO): Promise<ExitCode> {
  const root = realpathSync(appRoot(io.cwd));
  const code = await withApplication(root, io, ({ app }) =>
    withProject(options, app.name, io, async (place, connected) => {
      let shown: Plan = { steps: [] };
      const outcomes = await destroy({
        cloud: openCloud(place, connected),
        data: options.data,
        holder: connected.credentials.who,
        clock: lockClock,
        progress: options.json ? {} : progressOn(io),
        confirm: async (plan) => {
          shown = plan;
          if (!options.json) io.out.write(planText(plan, palette(wantsColour(io.out, io.env)), "--data"));
          if (options.dryRun || plan.steps.every(({ op }) => op !== "prune")) return false;
          const name = `${place.app}-${place.env}`;
          return typed(name, [options.data ? `${name} with all of its data` : name], options.confirm, io);
        },
      });
      const failed = outcomes?.some(({ state }) => state !== "done") === true;
      if (options.json) {
        const result = outcomes === undefined ? "planned" : failed ? "failed" : "done";
        io.out.write(`${JSON.stringify({ version: 1, result, steps: describedSteps(shown) }, undefined, 2)}\n`);
      }
      const declined = outcomes === undefined && !options.dryRun && shown.steps.some(({ op }) => op === "prune");
      return failed || declined ? 1 : 0;
    }),
  );
  return code ?? 1;
}
