import { currentPlan } from "../../deploy/current-plan.ts";
import { dashboardLink } from "../../deploy/dashboard-link.ts";
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
import { dashboardText, domainsText, planText } from "./print-plan.ts";
import { buildDeployment, withProject, type ProjectOptions } from "./project.ts";

/** Runs `fw status`: prints the plan that a deploy would apply, the state of domains, and the dashboard's URL. */
export async function runStatus(
  options: ProjectOptions & { readonly withoutDomains: true | undefined },
  io: IO,
): Promise<ExitCode> {
  return withProject({ ...options, root: appRoot(io.cwd) }, io, async (deployment) => {
    const { manifest, images, cloud } = await buildDeployment(deployment, options, io);
    io.progress.step("comparing the project with the application");
    const { app, env, project, region } = deployment.place;
    const resources = desired({ manifest, place: deployment.place, images: images.references });
    const { plan } = await currentPlan(resources, cloud);
    const domains = await domainStates(resources, cloud, openLookUp(io.env));
    io.progress.end();
    const dashboard = dashboardLink(cloud);
    if (options.json)
      printJSON(
        {
          version: 1,
          app,
          env,
          project,
          region,
          steps: describedSteps(plan),
          exposed: plan.exposed,
          domains,
          dashboard,
        },
        io,
      );
    else
      io.out.write(
        planText(plan, { palette: terminalPalette(io), verbose: options.verbose === true }) +
          domainsText(domains) +
          dashboardText(dashboard),
      );
    return hasChanges(plan) || plan.exposed.length > 0 ? 1 : 0;
  });
}
