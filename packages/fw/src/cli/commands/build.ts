import { realpathSync } from "node:fs";
import type { BuiltApp } from "../../build/manifest.ts";
import { buildPlatforms, type BuildPlatform } from "../../build/platform.ts";
import { listOf } from "../../lib/suggest.ts";
import { sourceRoot } from "../app-root.ts";
import { command, Refusal, type Command } from "../command.ts";
import type { IO } from "../io.ts";

/** `fw build`. */
export const build: Command = command({
  name: "build",
  summary: "bundle every service of the application, to run with node alone",
  details: [
    "Writes one directory for each service, `.fw/build/services/<name>/`, with what that service runs and nothing of any other, and `.fw/build/app.json`, which says what a deployment needs to know. `fw serve` runs all of them, and `node .fw/build/services/<name>/main.js` starts one. The same source gives the same bytes.",
    "First the build commands of sites run, and everything that `fw check` checks is checked: while a problem stands, nothing is built. Then each service is loaded once, without a port and without a platform: a service that cannot start is not built. A table says how large each service is and what changed since the last build.",
    "With `--docker` the images of all services are in `.fw/images`, an OCI layout that Docker, Podman, skopeo and registries read; no container software is needed to make it. They stand on an image of Node that is fetched once from its public registry, or on what `FW_BASE_IMAGE` names.",
  ],
  options: {
    platform: {
      value: "<platform>",
      choices: buildPlatforms,
      summary:
        "what the services are built for: a machine of your own, or Google Cloud (default FW_PLATFORM, else local)",
    },
    why: { summary: "also print the ten largest parts of each service, with the reason for each" },
    docker: { summary: "also write the container image of every service, for infrastructure of your own" },
  },
  examples: [
    { line: "fw build", says: "all services" },
    { line: "fw build --platform gcp", says: "all services, for Google Cloud" },
    { line: "fw build --why", says: "all services, and what makes each as large as it is" },
    { line: "fw serve", says: "run them on one port" },
    { line: "fw build --docker", says: "all services, and an image of each in .fw/images" },
    { line: "PORT=8080 node .fw/build/services/notes/main.js", says: "start one of them" },
  ],
  async run(options, io) {
    const platform = platformOf(options.platform, io.env);
    const root = realpathSync(sourceRoot(io.cwd));
    if (options.docker) (await import("../build/images.ts")).checkBase(io.env);
    const { builtApp } = await import("../build/built-app.ts");
    const built = await builtApp(root, platform, io);
    if (built === undefined) return 1;
    const { services } = built;
    const { writeCheckedBuild } = await import("../build/write-checked.ts");
    const { sizesBefore, sizesTable } = await import("../build/sizes.ts");
    const before = sizesBefore(root);
    const manifest = await writeCheckedBuild(root, built, io, await besides(built));
    io.out.write(sizesTable(manifest, services, before));
    if (options.why) io.out.write((await import("../build/why.ts")).whyText(services));
    if (options.docker) {
      const { writeImages } = await import("../build/images.ts");
      io.out.write(await writeImages(root, manifest, io));
    }
    return 0;
  },
});

/** What runs all services of a build on one machine has to know more of them than a deployer. */
async function besides({ app, platform, uses }: BuiltApp): Promise<ReadonlyMap<string, string>> {
  if (platform !== "local") return new Map();
  const { modelFile, modelText } = await import("../../topology/built-model.ts");
  return new Map([[modelFile, modelText(app, uses)]]);
}

/** As the option says, else as the environment does, in which services start. */
function platformOf(option: string | undefined, { FW_PLATFORM: named = "" }: IO["env"]): BuildPlatform {
  const wanted = option ?? (named === "" ? "local" : named);
  const found = buildPlatforms.find((platform) => platform === wanted);
  if (found !== undefined) return found;
  throw new Refusal(`FW_PLATFORM is ${listOf(buildPlatforms)}, not ${JSON.stringify(named)}`);
}
