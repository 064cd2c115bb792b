import { realpathSync } from "node:fs";
import type { BuiltApp, Manifest } from "../../build/manifest.ts";
import { buildPlatforms, type BuildPlatform } from "../../build/platform.ts";
import { listOf } from "../../lib/suggest.ts";
import { sourceRoot } from "../app-root.ts";
import { command, Refusal, type Command } from "../command.ts";
import type { IO } from "../io.ts";

export const build: Command = command({
  name: "build",
  summary: "bundle every service of the application, to run with node alone",
  details: [
    "Writes a directory for each service, `.fw/build/services/<name>/`, that holds only what that service runs, and `.fw/build/app.json`, which describes the build for deploys. `fw serve` runs all services; `node .fw/build/services/<name>/main.js` starts one. The same source produces the same bytes.",
    "First fw runs the build commands of sites and every check of `fw check`, and stops if there is a problem. Then it loads each service once, without a port or a platform, and rejects a build with a service that cannot start. A table shows the size of each service and how it changed since the last build.",
    "With `--docker`, fw writes the images of all services to `.fw/images`: an OCI layout that Docker, Podman, skopeo and registries can read. You need no container software. The images are based on a Node image that fw downloads once from its public registry, or on the image in `FW_BASE_IMAGE`.",
  ],
  options: {
    platform: {
      value: "<platform>",
      choices: buildPlatforms,
      summary:
        "where the services will run: local (your own machine) or gcp (Google Cloud). Default: FW_PLATFORM, else local",
    },
    why: { summary: "also print the ten largest parts of each service, with the reason for each" },
    docker: { summary: "also write a container image of every service, for your own infrastructure" },
  },
  examples: [
    { line: "fw build", says: "build all services" },
    { line: "fw build --platform gcp", says: "build all services for Google Cloud" },
    { line: "fw build --why", says: "build all services, and explain their size" },
    { line: "fw serve", says: "run them on one port" },
    { line: "fw build --docker", says: "build all services, and their images in .fw/images" },
    { line: "PORT=8080 node .fw/build/services/notes/main.js", says: "start one service" },
  ],
  async run(options, io) {
    const platform = platformOf(options.platform, io.env);
    const root = realpathSync(sourceRoot(io.cwd));
    if (options.docker) (await import("../build/images.ts")).checkBase(io.env);
    const built = await (await import("../build/built-app.ts")).builtApp(root, platform, io);
    if (built === undefined) return 1;
    const manifest = await writeBuild(root, built, io);
    if (options.why) io.out.write((await import("../build/why.ts")).whyText(built.services));
    if (options.docker) io.out.write(await (await import("../build/images.ts")).writeImages(root, manifest, io));
    return 0;
  },
});

/** Writes the build, and prints the sizes of its services. */
async function writeBuild(root: string, built: BuiltApp, io: IO): Promise<Manifest> {
  const { writeCheckedBuild } = await import("../build/write-checked.ts");
  const { sizesBefore, sizesTable } = await import("../build/sizes.ts");
  const before = sizesBefore(root);
  const manifest = await writeCheckedBuild(root, built, io, await extraFiles(built));
  io.progress.end();
  io.out.write(sizesTable(manifest, built.services, before));
  return manifest;
}

/** Returns additional files for `fw serve`, which must know more about the services than a deploy. */
async function extraFiles({ app, platform, uses }: BuiltApp): Promise<ReadonlyMap<string, string>> {
  if (platform !== "local") return new Map();
  const { consoleFile, modelFile, modelText } = await import("../../topology/built-model.ts");
  const { consoleModel } = await import("../../generate/console-model.ts");
  return new Map([
    [modelFile, modelText(app, uses)],
    [consoleFile, JSON.stringify(consoleModel(app, uses))],
  ]);
}

/** Chooses the platform. The option takes precedence over `FW_PLATFORM`, which services also read when they start. */
function platformOf(option: string | undefined, { FW_PLATFORM: named = "" }: IO["env"]): BuildPlatform {
  const choice = option ?? (named === "" ? "local" : named);
  const match = buildPlatforms.find((platform) => platform === choice);
  if (match !== undefined) return match;
  throw new Refusal(`FW_PLATFORM must be ${listOf(buildPlatforms)}, not ${JSON.stringify(named)}`);
}
