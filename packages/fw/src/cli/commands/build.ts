import { realpathSync } from "node:fs";
import { sourceText } from "../../workspace/source-text.ts";
import { appRoot } from "../app-root.ts";
import type { BuiltApp } from "../build/builder.ts";
import { Refusal, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { stoppable } from "../stoppable.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { printText } from "../print/text.ts";

/** `fw build`. */
export const build: Command = {
  name: "build",
  summary: "bundle every service of the application, to run with node alone",
  details: [
    "Writes one directory for each service, `.fw/build/services/<name>/`, with what that service runs and nothing of any other, and `.fw/build/app.json`, which says what a deployment needs to know. `node .fw/build/services/<name>/main.js` starts a service. The same source gives the same bytes.",
    "First the build commands of sites run, and everything that `fw check` checks is checked: while a problem stands, nothing is built. A table says how large each service is and what changed since the last build.",
  ],
  options: {},
  examples: [
    { line: "fw build", says: "all services" },
    { line: "PORT=8080 node .fw/build/services/notes/main.js", says: "start one of them" },
  ],
  async run(_options: OptionValues, io: IO): Promise<ExitCode> {
    const root = realpathSync(appRoot(io.cwd));
    const built = await checked(root, io);
    if (built === undefined) return 1;
    const { app, uses, services } = built;
    if (app.packages.length === 0) throw nothingDeclared(root);
    if (services.length === 0)
      throw new Refusal(`no package of ${root} has anything that runs: an endpoint, a site or a handler`);
    const { manifestOf } = await import("../../build/manifest.ts");
    const { writeBuild } = await import("../../build/write.ts");
    const { sizesBefore, sizesTable } = await import("../build/sizes.ts");
    const manifest = manifestOf(app, uses, services);
    const before = sizesBefore(root);
    await writeBuild(root, services, manifest);
    io.out.write(sizesTable(manifest, services, before));
    return 0;
  },
};

/** Undefined, and the problems printed, while anything is wrong. */
async function checked(root: string, io: IO): Promise<BuiltApp | undefined> {
  const { AppBuilder } = await import("../build/builder.ts");
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
    if (diagnostics.length === 0) return await new AppBuilder(workspace).build(app);
    io.out.write(printText(diagnostics, { colour: wantsColour(io.out, io.env), source: sourceText(root) }));
    return undefined;
  } finally {
    workspace.close();
  }
}
