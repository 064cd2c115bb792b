import type { BuiltApp } from "../../build/manifest.ts";
import type { BuildPlatform } from "../../build/platform.ts";
import { withCheckedWorkspace } from "../checked-workspace.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { AppBuilder } from "./builder.ts";

/** The services of an application, bundled. Undefined, and the problems printed, while anything is wrong. */
export function builtApp(root: string, platform: BuildPlatform, io: IO): Promise<BuiltApp | undefined> {
  return withCheckedWorkspace(root, io, async (workspace, app) => {
    const built = await new AppBuilder(workspace, platform).build(app);
    refuseNothing(built, root);
    return built;
  });
}

function refuseNothing({ app, services }: BuiltApp, root: string): void {
  if (app.packages.length === 0) throw nothingDeclared(root);
  if (services.length === 0)
    throw new Refusal(`no package of ${root} has anything that runs: an endpoint, a site or a handler`);
}
