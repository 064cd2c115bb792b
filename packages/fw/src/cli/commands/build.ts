import { realpathSync } from "node:fs";
import { appRoot } from "../app-root.ts";
import { Refusal, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { printRefusal } from "../test/refused.ts";

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
    const { prepare } = await import("../build/prepare.ts");
    const prepared = await prepare(root, io);
    if (!prepared.sound) {
      io.out.write(printRefusal(root, prepared.diagnostics, wantsColour(io.out, io.env)));
      return 1;
    }
    const { app, uses } = prepared.input;
    if (app.packages.length === 0) throw nothingDeclared(root);
    const { buildServices, BundleError } = await import("../../build/build.ts");
    const { manifestOf } = await import("../../build/manifest.ts");
    const { writeBuild } = await import("../../build/write.ts");
    const { sizesBefore, sizesTable } = await import("../build/sizes.ts");
    const services = await buildServices(prepared.input).catch((error: unknown) => {
      throw error instanceof BundleError ? new Refusal(error.message) : error;
    });
    if (services.length === 0)
      throw new Refusal(`no package of ${root} has anything that runs: an endpoint, a site or a handler`);
    const manifest = manifestOf(app, uses, services);
    const before = sizesBefore(root);
    await writeBuild(root, services, manifest);
    io.out.write(sizesTable(manifest, services, before));
    return 0;
  },
};
