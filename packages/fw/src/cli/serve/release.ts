import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { manifestVersion, type Manifest, type ManifestService } from "../../build/manifest.ts";
import { schemaFile } from "../../evolution/recorded.ts";
import { list, number, object, text, type Codec } from "../../lib/codec.ts";
import { ofVersion, readOwnFile } from "../../lib/own-file.ts";
import { modelFile, readModel, type BuiltModel } from "../../topology/built-model.ts";
import type { Release } from "../../topology/release.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { environmentFor } from "../services/environment.ts";
import type { Engine } from "./engine.ts";
import { processCounts } from "./processes.ts";
import { restrictedProgram, type Isolation } from "./isolation.ts";
import { ServiceVersions } from "../services/versions.ts";

interface ServedManifest extends Pick<Manifest, "version" | "platform"> {
  readonly services: readonly ServedService[];
}

type ServedService = Pick<ManifestService, "name" | "entry" | "site" | "secrets">;

export interface BuiltRelease {
  /** Its directory, absolute and without links. */
  readonly directory: string;
  readonly manifest: ServedManifest;
  readonly model: BuiltModel;
}

/** The codec that reads the platform from a manifest of any version. */
const anyManifest: Codec<Pick<Manifest, "platform">> = object({ platform: text as Codec<Manifest["platform"]> });

const servedManifest: Codec<ServedManifest> = object<ServedManifest>({
  version: number as Codec<typeof manifestVersion>,
  platform: text as Codec<Manifest["platform"]>,
  services: list(object<ServedService>({ name: text, entry: text, site: text, secrets: list(text) })),
});

/** Reads a build and resolves the link to it. Refuses a build that cannot run here. */
export function readRelease(path: string): BuiltRelease {
  if (!existsSync(join(path, "app.json")))
    throw new Refusal(`no build in ${path}: run "fw build", which writes .fw/build`);
  const directory = realpathSync(path);
  const file = join(directory, "app.json");
  const { platform } = readOwnFile(file, anyManifest) ?? { platform: "" };
  if (platform !== "local")
    throw new Refusal(`${directory} was built for ${platform}: run "fw build" without --platform`);
  const manifest = readOwnFile(file, ofVersion(manifestVersion, servedManifest));
  const model = manifest && readModel(directory);
  if (manifest === undefined || model === undefined)
    throw new Refusal(`${directory} was built by another version of fw: build it again with this version`);
  for (const { name, entry } of manifest.services)
    if (!existsSync(join(directory, entry)))
      throw new Refusal(`${directory} is damaged: ${entry} of the service ${name} is missing; build it again`);
  return { directory, manifest, model };
}

export interface ReleaseSettings {
  readonly engine: Engine;
  readonly isolation: Isolation;
  /** The number of processes of each service that may have several. */
  readonly processes: number;
}

/** Copies services of releases to the server's own directory, so that the build may be replaced while they run. */
export class ServedReleases {
  /** The server's directory, with the model and the schema of the running release. */
  readonly directory: string;
  readonly #settings: ReleaseSettings;
  readonly #versions: ServiceVersions;
  readonly #modules: readonly string[];

  /** `directory` and `modules`, which all services load, are absolute paths without links. */
  constructor(directory: string, settings: ReleaseSettings, modules: readonly string[]) {
    this.directory = directory;
    this.#modules = modules;
    this.#settings = settings;
    this.#versions = new ServiceVersions(join(directory, "versions"));
  }

  /**
   * Copies the services of a release and returns how to run them. `isPlaced` selects the services of this machine; by
   * default all of them.
   */
  async place(
    { directory, manifest, model }: BuiltRelease,
    env: IO["env"],
    signal: AbortSignal,
    isPlaced: (service: ServedService) => boolean = () => true,
  ): Promise<readonly Release[]> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const packages = await this.#linkPackages(directory);
    const counts = processCounts(model.app, this.#settings.processes);
    const releases: Release[] = [];
    for (const { name, entry, site, secrets } of manifest.services.filter(isPlaced)) {
      signal.throwIfAborted();
      const from = dirname(entry);
      const placed = await this.#versions.place(name, (fresh) => cp(join(directory, from), fresh, { recursive: true }));
      const { temporary, program, isIsolated } = await this.#restrict(name, [placed, ...packages, ...this.#modules]);
      const own = {
        ...environmentFor(env, model.app, secrets),
        ...(isIsolated && { TMPDIR: temporary, TEMP: temporary, TMP: temporary }),
      };
      releases.push({
        name,
        version: JSON.stringify([placed, own]),
        entry: join(placed, entry.slice(from.length + 1)),
        ...(site !== "" && { site: join(placed, site.slice(from.length + 1)) }),
        env: own,
        program,
        processes: counts.get(name) ?? 1,
        grants: model.grants[name] ?? [],
      });
    }
    return releases;
  }

  /** Copies the model and schema of the running release to the directory where commands read them. */
  async remember({ directory }: BuiltRelease): Promise<void> {
    for (const file of [modelFile, schemaFile])
      if (existsSync(join(directory, file))) await cp(join(directory, file), join(this.directory, file));
  }

  /**
   * Links the application's packages to where services resolve packages such as telemetry exporters. Returns the
   * directories that services must therefore be able to read.
   */
  async #linkPackages(release: string): Promise<readonly string[]> {
    const link = join(this.directory, "node_modules");
    await rm(link, { force: true });
    const packages = packagesAbove(release);
    if (packages === undefined) return [];
    await symlink(packages, link, "junction");
    return [link, realpathSync(packages)];
  }

  /** Returns the program that runs a service, with access to the directories `read` and to its temporary files. */
  async #restrict(service: string, read: readonly string[]) {
    const { engine, isolation } = this.#settings;
    const temporary = await this.#temporaryDirectory(service);
    return { temporary, ...restrictedProgram(engine, isolation, { read, temporary }) };
  }

  /** Creates a service's directory for temporary files, which no other service can read. */
  async #temporaryDirectory(service: string): Promise<string> {
    const directory = join(this.directory, "tmp", service);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return directory;
  }
}

function packagesAbove(directory: string): string | undefined {
  const packages = join(directory, "node_modules");
  if (existsSync(packages)) return packages;
  return dirname(directory) === directory ? undefined : packagesAbove(dirname(directory));
}
