import { join } from "node:path";
import type { BuiltApp, Manifest } from "../../build/manifest.ts";
import type { App } from "../../model/app.ts";
import { sourceText } from "../../workspace/source-text.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { printText } from "../print/text.ts";
import { stoppable } from "../stoppable.ts";

/** An application in which nothing is wrong, before and after it is built. */
export interface CheckedApp {
  readonly app: App;
  /** What its manifest says before it is built. */
  unbuilt(): Promise<Manifest>;
  build(): Promise<{ readonly manifest: Manifest; readonly directoryOf: (service: string) => string }>;
}

/** Reads and checks an application, and hands it on; undefined, and the problems printed, while anything is wrong. */
export async function withApplication<Result>(
  root: string,
  io: IO,
  work: (checked: CheckedApp) => Promise<Result>,
): Promise<Result | undefined> {
  const { Workspace } = await import("../../workspace/workspace.ts");
  // A command that failed is refused when all have ended.
  const workspace = new Workspace({ root, env: io.env, builds: { failed: () => {}, recovered: () => {} } });
  try {
    const { app } = await stoppable(
      io,
      () => workspace.read({ types: true }),
      () => workspace.close(),
    );
    const [failed] = workspace.failedBuilds;
    if (failed !== undefined) throw new Refusal([failed.message, failed.output.trimEnd()].join("\n").trimEnd());
    const diagnostics = await workspace.problems();
    if (diagnostics.length > 0) {
      io.out.write(printText(diagnostics, { colour: wantsColour(io.out, io.env), source: sourceText(root) }));
      return undefined;
    }
    if (app.packages.length === 0) throw nothingDeclared(root);
    const { unbuiltManifest } = await import("../../build/unbuilt.ts");
    return await work({
      app,
      unbuilt: async () => unbuiltManifest(app, "gcp", await workspace.uses()),
      build: () => build(workspace, app, root),
    });
  } finally {
    workspace.close();
  }
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
