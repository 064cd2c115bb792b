import type { BuiltApp } from "../../build/manifest.ts";
import type { BuildPlatform } from "../../build/platform.ts";
import { sourceText } from "../../workspace/source-text.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { printText } from "../print/text.ts";
import { stoppable } from "../stoppable.ts";
import { AppBuilder } from "./builder.ts";

/** The services of an application, bundled. Undefined, and the problems printed, while anything is wrong. */
export async function builtApp(root: string, platform: BuildPlatform, io: IO): Promise<BuiltApp | undefined> {
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
    if (diagnostics.length === 0) {
      const built = await new AppBuilder(workspace, platform).build(app);
      refuseNothing(built, root);
      return built;
    }
    io.out.write(printText(diagnostics, { colour: wantsColour(io.out, io.env), source: sourceText(root) }));
    return undefined;
  } finally {
    workspace.close();
  }
}

function refuseNothing({ app, services }: BuiltApp, root: string): void {
  if (app.packages.length === 0) throw nothingDeclared(root);
  if (services.length === 0)
    throw new Refusal(`no package of ${root} has anything that runs: an endpoint, a site or a handler`);
}
