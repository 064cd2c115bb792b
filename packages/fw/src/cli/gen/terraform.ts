import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { desired } from "../../deploy/desired/desired.ts";
import { marks } from "../../deploy/known.ts";
import { terraformOf, unknownNumber } from "../../deploy/terraform/terraform.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import { withApplication } from "../deploy/application.ts";
import type { TargetOptions } from "../deploy/target.ts";
import { withoutDomains } from "../deploy/domains-option.ts";
import { fitting } from "../deploy/fitting.ts";
import type { IO } from "../io.ts";
import { write } from "./write.ts";

/** Prints the configuration, or writes it to a file. Which secrets services read is known when they are bundled. */
export async function writeTerraform(
  { withoutDomains: isAlone, ...target }: TargetOptions & { readonly withoutDomains: boolean },
  out: string | undefined,
  io: IO,
): Promise<ExitCode> {
  const root = realpathSync(sourceRoot(io.cwd));
  const code = await withApplication(root, io, async (checked) => {
    const { app } = checked;
    const manifest = withoutDomains((await checked.build()).manifest, isAlone);
    const place = { ...target, app: app.name, projectNumber: unknownNumber };
    const services = manifest.services.map(({ name }) => name);
    const images = Object.fromEntries(services.map((name) => [name, marks.image(name)]));
    const text = fitting(() => terraformOf(desired({ manifest, place, images }), place, services));
    if (out === undefined) io.out.write(text);
    else write(resolve(io.cwd, out), text, relative(io.cwd, resolve(io.cwd, out)), io);
    return 0 as const;
  });
  return code ?? 1;
}
