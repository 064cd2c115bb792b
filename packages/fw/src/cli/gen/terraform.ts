import { realpathSync } from "node:fs";
import { desired } from "../../deploy/desired/desired.ts";
import { placeholders } from "../../deploy/placeholders.ts";
import { terraformOf, unknownNumber } from "../../deploy/terraform/terraform.ts";
import { sourceRoot } from "../app-root.ts";
import { refuseOnError, type ExitCode } from "../command.ts";
import { withApplication } from "../deploy/application.ts";
import { withoutDomains, type TargetOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { output } from "./write.ts";

interface TerraformOptions extends TargetOptions {
  readonly withoutDomains: true | undefined;
  readonly out: string | undefined;
}

/**
 * Prints the Terraform configuration, or writes it to a file. Needs a build, because only bundles show which secrets a
 * service reads.
 */
export async function writeTerraform(options: TerraformOptions, io: IO): Promise<ExitCode> {
  const { project, env, region } = options;
  return withApplication(realpathSync(sourceRoot(io.cwd)), io, async (checked) => {
    const manifest = withoutDomains((await checked.build()).manifest, options);
    const place = { project, env, region, app: checked.app.name, projectNumber: unknownNumber };
    const services = manifest.services.map(({ name }) => name);
    const images = Object.fromEntries(services.map((name) => [name, placeholders.image(name)]));
    return output(
      refuseOnError(() => terraformOf(desired({ manifest, place, images }), place, services)),
      options,
      io,
    );
  });
}
