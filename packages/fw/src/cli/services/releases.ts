import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { BuiltService } from "../../build/build.ts";
import { writeService } from "../../build/write.ts";

/** A service on disk. */
interface Placed {
  readonly service: BuiltService;
  /** The hash of everything that it is made of. */
  readonly hash: string;
}

/** Versions of a service that are kept: a process that is about to go may still load a file of its own. */
const keptVersions = 5;

/** Where the services that run are on disk, each version in a directory that is named for its bytes. */
export class Releases {
  readonly #root: string;
  readonly #directory: string;
  readonly #placed = new Map<string, Placed>();
  /** Directories of each service, the newest last. */
  readonly #versions = new Map<string, string[]>();
  #isCleared = false;

  constructor(root: string) {
    this.#root = root;
    this.#directory = join(root, ".fw", "services");
  }

  /** The directory of a service as it was built, absolute; the same one for the same bytes. */
  async place(service: BuiltService): Promise<string> {
    this.#clear();
    const { name } = service.service;
    const before = this.#placed.get(name);
    const hash = before !== undefined && isSame(before.service, service) ? before.hash : await this.#write(service);
    this.#placed.set(name, { service, hash });
    return this.#pathOf(name, hash);
  }

  /** What an earlier run left goes with the first release: who has one to place holds the data, so no other server runs from here. */
  #clear(): void {
    if (this.#isCleared) return;
    this.#isCleared = true;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #write(service: BuiltService): Promise<string> {
    const { name } = service.service;
    const fresh = this.#pathOf(name, "new");
    await rm(fresh, { recursive: true, force: true });
    await writeService(this.#root, fresh, service);
    const hash = hashOf(fresh);
    const path = this.#pathOf(name, hash);
    if (existsSync(path)) await rm(fresh, { recursive: true });
    else await rename(fresh, path);
    await this.#forgetOld(name, path);
    return hash;
  }

  async #forgetOld(name: string, newest: string): Promise<void> {
    const versions = [...(this.#versions.get(name) ?? []).filter((path) => path !== newest), newest];
    for (const path of versions.splice(0, versions.length - keptVersions))
      await rm(path, { recursive: true, force: true });
    this.#versions.set(name, versions);
  }

  #pathOf(name: string, version: string): string {
    return join(this.#directory, name, version);
  }
}

/** Files beside modules are not compared: whether they changed is told by their bytes only. */
function isSame(one: BuiltService, other: BuiltService): boolean {
  const sameAssets = JSON.stringify(one.assets) === JSON.stringify(other.assets);
  return one.files === other.files && sameAssets && other.runtimeFiles.length === 0;
}

function hashOf(directory: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    const bytes = readFileSync(path);
    hash.update(`${relative(directory, path)}\0${bytes.byteLength}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}
