import { join } from "node:path";
import type { BuiltService } from "../../build/build.ts";
import type { BuiltApp } from "../../build/manifest.ts";
import { siteDirectory } from "../../build/directories.ts";
import { writeService } from "../../build/write.ts";
import { namesOf } from "../../lib/names.ts";
import type { App } from "../../model/app.ts";
import { allOfKind, siteOf } from "../../model/declarations.ts";
import { platformGrants } from "../../topology/grants.ts";
import type { Release } from "../../topology/release.ts";
import { readEnv } from "../../workspace/env.ts";
import type { IO } from "../io.ts";
import { environmentFor, secretValues } from "./environment.ts";
import { ServiceVersions } from "./versions.ts";

interface ServiceOnDisk {
  readonly service: BuiltService;
  /** Its directory, absolute. */
  readonly path: string;
}

/** Plans the releases to run for a built application. */
export class ReleasePlan {
  readonly #root: string;
  readonly #env: IO["env"];
  readonly #versions: ServiceVersions;
  readonly #onDisk = new Map<string, ServiceOnDisk>();
  #secrets: IO["env"] = {};

  constructor(root: string, env: IO["env"]) {
    this.#root = root;
    this.#env = env;
    this.#versions = new ServiceVersions(join(root, ".fw", "services"));
  }

  /** The values of all services' secrets in the latest plan, by name. */
  get secrets(): IO["env"] {
    return this.#secrets;
  }

  /** Returns the names of declared secrets without a value in the environment or in `.env`. */
  missingSecrets(app: App): readonly string[] {
    const values = secretValues(this.#root, this.#env, app);
    return Object.keys(values).filter((name) => values[name] === undefined || values[name] === "");
  }

  async releasesOf({ app, uses, services }: BuiltApp): Promise<readonly Release[]> {
    this.#secrets = secretValues(this.#root, this.#env, app);
    const all = { ...this.#env, ...readEnv(this.#root, this.#env) };
    const grants = platformGrants(app, uses);
    const releases: Release[] = [];
    for (const built of services) {
      const { name, package: pkg } = built.service;
      const directory = await this.#place(built);
      const env = environmentFor(all, app, namesOf(allOfKind(built.part.packages, "secret")));
      releases.push({
        name,
        version: JSON.stringify([directory, env]),
        entry: join(directory, "main.js"),
        ...(siteOf(pkg) && { site: join(directory, siteDirectory) }),
        env,
        grants: grants.get(name) ?? [],
      });
    }
    return releases;
  }

  /** Returns the absolute directory of a built service; equal services share one. */
  async #place(service: BuiltService): Promise<string> {
    const { name } = service.service;
    const before = this.#onDisk.get(name);
    if (before !== undefined && isSame(before.service, service)) return before.path;
    const path = await this.#versions.place(name, (fresh) => writeService(this.#root, fresh, service));
    this.#onDisk.set(name, { service, path });
    return path;
  }
}

/** True if two builds of a service are the same. False if its code reads files, whose bytes may have changed. */
function isSame(one: BuiltService, other: BuiltService): boolean {
  const sameAssets = JSON.stringify(one.assets) === JSON.stringify(other.assets);
  return one.files === other.files && sameAssets && other.runtimeFiles.length === 0;
}
