import { currentPlan } from "../../deploy/current-plan.ts";
import { hasChanges } from "../../deploy/deploy.ts";
import { describedSteps } from "../../deploy/describe.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { openLookUp } from "../../deploy/domains/look-up.ts";
import { domainStates } from "../../deploy/domains/state.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { terminalPalette } from "../print/colour.ts";
import { printJSON } from "../print/output.ts";
import { domainsText, planText } from "./print-plan.ts";
import { built, withProject, type ProjectOptions } from "./project.ts";

/** `fw status`: the plan that a deploy would carry out. */
export async function runStatus(
  options: ProjectOptions & { readonly withoutDomains: true | undefined },
  io: IO,
): Promise<ExitCode> {
  return withProject({ ...options, root: appRoot(io.cwd) }, io, async (deployment) => {
    const { manifest, images, cloud } = await built(deployment, options, io.env);
    const { app, env, project, region } = deployment.place;
    const wanted = desired({ manifest, place: deployment.place, images: images.references });
    const { plan } = await currentPlan(wanted, cloud);
    const domains = await domainStates(wanted, cloud, openLookUp(io.env));
    if (options.json)
      printJSON(
        { version: 1, app, env, project, region, steps: describedSteps(plan), exposed: plan.exposed, domains },
        io,
      );
    else
      io.out.write(
        planText(plan, { palette: terminalPalette(io), verbose: options.verbose === true }) + domainsText(domains),
      );
    return hasChanges(plan) || plan.exposed.length > 0 ? 1 : 0;
  });
}
