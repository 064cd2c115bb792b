import { realpathSync } from "node:fs";
import { openCloud } from "../../deploy/connect.ts";
import { isWork } from "../../deploy/deploy.ts";
import { describedSteps } from "../../deploy/describe.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { openLookUp } from "../../deploy/domains/look-up.ts";
import { domainStates } from "../../deploy/domains/state.ts";
import { imagesOf } from "../../deploy/images.ts";
import { readInventory } from "../../deploy/inventory.ts";
import { planOf } from "../../deploy/plan.ts";
import { appRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { palette, wantsColour } from "../print/colour.ts";
import { withApplication } from "./application.ts";
import { withoutDomains } from "./domains-option.ts";
import { domainsText } from "./print-domains.ts";
import { planText } from "./print-plan.ts";
import { withProject } from "./run.ts";
import type { TargetOptions } from "./target.ts";

/** `fw status`: the plan that a deploy would carry out. */
export async function runStatus(
  options: TargetOptions & { readonly json: boolean; readonly withoutDomains: boolean },
  io: IO,
): Promise<ExitCode> {
  const root = realpathSync(appRoot(io.cwd));
  const code = await withApplication(root, io, (checked) =>
    withProject(options, checked.app.name, io, async (place, connected) => {
      const { manifest: built, directoryOf } = await checked.build();
      const manifest = withoutDomains(built, options.withoutDomains);
      const token = (): Promise<string> => connected.credentials.identity.accessToken();
      const images = await imagesOf({ manifest, place, directoryOf, env: io.env, token });
      const cloud = openCloud(place, connected, { images: images.pushed });
      const { content } = await readInventory(cloud);
      const wanted = desired({ manifest, place, images: images.references });
      const plan = await planOf(wanted, cloud, { before: content?.resources ?? [] });
      const domains = await domainStates(wanted, cloud, openLookUp(io.env));
      if (options.json) {
        const { app, env, project, region } = place;
        const said = { version: 1, app, env, project, region, steps: describedSteps(plan), domains };
        io.out.write(`${JSON.stringify(said, undefined, 2)}\n`);
      } else io.out.write(planText(plan, palette(wantsColour(io.out, io.env))) + domainsText(domains));
      return isWork(plan) ? 1 : 0;
    }),
  );
  return code ?? 1;
}
