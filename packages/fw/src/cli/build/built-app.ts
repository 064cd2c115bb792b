import type { BuiltApp } from "../../build/manifest.ts";
import type { BuildPlatform } from "../../build/platform.ts";
import type { App } from "../../model/app.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { withCheckedWorkspace } from "../checked-app.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { AppBuilder } from "./builder.ts";
import { refuseForPlatform } from "./refuse-for-platform.ts";

/** Checks an application and bundles its services. If it has problems, prints them and returns undefined. */
export function builtApp(root: string, platform: BuildPlatform, io: IO): Promise<BuiltApp | undefined> {
  io.progress.step("checking the application");
  return withCheckedWorkspace(root, io, (workspace, app) => builtServices(workspace, app, platform, io));
}

/**
 * Bundles an application that was already read and checked. Refuses one that the platform does not support or that has
 * no services.
 */
export async function builtServices(
  workspace: Workspace,
  app: App,
  platform: BuildPlatform,
  { bundles, progress }: Pick<IO, "bundles" | "progress">,
): Promise<BuiltApp> {
  await refuseForPlatform(app, platform, () => workspace.analyzer.uses());
  const built = await new AppBuilder(workspace, platform, bundles).build(app, progress);
  if (built.services.length > 0) return built;
  throw new Refusal(`no package of ${workspace.root} has anything to run: declare an endpoint, a site or a handler`);
}
