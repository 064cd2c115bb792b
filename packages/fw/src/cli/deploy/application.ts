import { join } from "node:path";
import type { BuiltApp, Manifest } from "../../build/manifest.ts";
import type { App } from "../../model/app.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { withCheckedWorkspace } from "../checked-workspace.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";

/** An application in which nothing is wrong, before and after it is built. */
export interface CheckedApp {
  readonly app: App;
  /** What its manifest says before it is built. */
  unbuilt(): Promise<Manifest>;
  build(): Promise<{ readonly manifest: Manifest; readonly directoryOf: (service: string) => string }>;
}

/** Reads and checks an application, and hands it on; undefined, and the problems printed, while anything is wrong. */
export function withApplication<Result>(
  root: string,
  io: IO,
  work: (checked: CheckedApp) => Promise<Result>,
): Promise<Result | undefined> {
  return withCheckedWorkspace(root, io, async (workspace, app) => {
    if (app.packages.length === 0) throw nothingDeclared(root);
    const { unbuiltManifest } = await import("../../build/unbuilt.ts");
    return work({
      app,
      unbuilt: async () => unbuiltManifest(app, "gcp", await workspace.uses()),
      build: () => build(workspace, app, root),
    });
  });
}

async function build(workspace: Workspace, app: App, root: string): ReturnType<CheckedApp["build"]> {
  const { AppBuilder } = await import("../build/builder.ts");
  const { manifestOf } = await import("../../build/manifest.ts");
  const { writeBuild } = await import("../../build/write.ts");
  const built: BuiltApp = await new AppBuilder(workspace, "gcp").build(app);
  if (built.services.length === 0)
    throw new Refusal(`no package of ${root} has anything that runs: an endpoint, a site or a handler`);
  const manifest = manifestOf(built);
  await writeBuild(root, built.services, manifest);
  return { manifest, directoryOf: (service) => join(root, ".fw/build/services", service) };
}
