import { join } from "node:path";
import type { BuiltService } from "../../build/build.ts";
import { writeService } from "../../build/write.ts";
import { ServiceVersions } from "./versions.ts";

/** A service on disk. */
interface Placed {
  readonly service: BuiltService;
  /** Its directory, absolute. */
  readonly path: string;
}

/** Where the services of an application that somebody works on are on disk. */
export class Releases {
  readonly #root: string;
  readonly #versions: ServiceVersions;
  readonly #placed = new Map<string, Placed>();

  constructor(root: string) {
    this.#root = root;
    this.#versions = new ServiceVersions(join(root, ".fw", "services"));
  }

  /** The directory of a service as it was built, absolute; the same one for the same bytes. */
  async place(service: BuiltService): Promise<string> {
    const { name } = service.service;
    const before = this.#placed.get(name);
    if (before !== undefined && isSame(before.service, service)) return before.path;
    const path = await this.#versions.place(name, (fresh) => writeService(this.#root, fresh, service));
    this.#placed.set(name, { service, path });
    return path;
  }
}

/** Files beside modules are not compared: whether they changed is told by their bytes only. */
function isSame(one: BuiltService, other: BuiltService): boolean {
  const sameAssets = JSON.stringify(one.assets) === JSON.stringify(other.assets);
  return one.files === other.files && sameAssets && other.runtimeFiles.length === 0;
}
