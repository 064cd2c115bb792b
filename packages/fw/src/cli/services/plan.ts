import { siteOf } from "../../model/declarations.ts";
import { join } from "node:path";
import { siteDirectory } from "../../build/places.ts";
import type { BuiltApp } from "../../build/manifest.ts";
import { platformGrants } from "../../topology/grants.ts";
import type { Release } from "../../topology/release.ts";
import type { IO } from "../io.ts";
import { environmentOf, secretValues } from "./environment.ts";
import { Releases } from "./releases.ts";

/** What is to run of an application that was built. */
export class ReleasePlan {
  readonly #root: string;
  readonly #env: IO["env"];
  readonly #releases: Releases;
  #secrets: IO["env"] = {};

  constructor(root: string, env: IO["env"]) {
    this.#root = root;
    this.#env = env;
    this.#releases = new Releases(root);
  }

  /** The values of the secrets of all services that were planned last, by name. */
  get secrets(): IO["env"] {
    return this.#secrets;
  }

  async releasesOf({ app, uses, services }: BuiltApp): Promise<readonly Release[]> {
    this.#secrets = secretValues(this.#root, this.#env, app);
    const grants = platformGrants(app, uses);
    const releases: Release[] = [];
    for (const service of services) {
      const { name } = service.service;
      const directory = await this.#releases.place(service);
      const env = environmentOf(this.#root, this.#env, app, service);
      releases.push({
        name,
        version: JSON.stringify([directory, env]),
        entry: join(directory, "main.js"),
        ...(siteOf(service.service.package) && { site: join(directory, siteDirectory) }),
        env,
        grants: grants.get(name) ?? [],
      });
    }
    return releases;
  }
}
